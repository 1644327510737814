import { setFlag } from "../../../../src/flags/flags.ts";
import { REQUIREMENT_LIMITS } from "../../../../src/flags/limits.ts";
import { type Requirement, requirementsOf } from "../../../../src/flags/requires/requirement.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { OPERATOR, request } from "../asking.ts";
import type { World } from "../world.ts";

const PROJECT = "needs";
const ROOT = `/projects/${PROJECT}`;
const ENVIRONMENTS = ["develop", "live"];
/** Enough for a chain that is too deep. */
const FLAGS = Array.from({ length: REQUIREMENT_LIMITS.depth + 3 }, (_, index) => `flag-${index}`);
/** Flags with variants: each third, which professionals get in blue, and others in its default. */
const hasVariants = (flag: string) => Number(flag.slice("flag-".length)) % 3 === 0;
const COLOURS = {
  variants: { red: "#f00", blue: "#00f" },
  defaultVariant: "red",
  targeting: { if: [{ "==": [{ var: "plan" }, "pro"] }, "blue", null] },
};
const patchOf = (flag: string) => (hasVariants(flag) ? COLOURS : {});
const PLANS = ["pro", "free"];

export async function furnishNeeds(world: World): Promise<void> {
  const { app } = world.servers[0]!;
  await createProject(app, OPERATOR, { slug: PROJECT, environments: ENVIRONMENTS });
  for (const flag of FLAGS)
    for (const environment of ENVIRONMENTS)
      await setFlag(
        app,
        OPERATOR,
        { project: PROJECT, environment, flag },
        { enabled: true, ...patchOf(flag) },
      );
}

/** Steps of people who let flags need others, and who archive, delete, copy and take back what is needed, some at once. */
export function needSteps(world: World): (() => Promise<void>)[] {
  const { chance } = world.scheduler;
  const ask = async (method: string, path: string, body?: object) => {
    const asked = { method, path: ROOT + path, ...(body && { body }) };
    const answer = await request(world, chance.pick(world.servers), asked);
    requireSoundGraph(world);
    return answer;
  };
  const at = (flag: string, environment = chance.pick(ENVIRONMENTS)) =>
    `/environments/${environment}/flags/${flag}`;
  const needing = (): Requirement => {
    const flag = chance.pick(FLAGS);
    if (chance.once(2)) return { flag };
    return { flag, variants: [chance.pick(hasVariants(flag) ? ["red", "blue"] : ["on", "off"])] };
  };
  const needs = () => {
    const requires = Array.from({ length: chance.int(4) }, needing);
    return ask("PATCH", at(chance.pick(FLAGS)), { requires });
  };
  const details = (flag: string, patch: object) => ask("PATCH", `/flags/${flag}`, patch);
  return [
    async function changes() {
      await Promise.all([needs(), needs()]);
    },
    async function circles() {
      const environment = chance.pick(ENVIRONMENTS);
      const [one, other] = [chance.pick(FLAGS), chance.pick(FLAGS)];
      await Promise.all([
        ask("PATCH", at(one, environment), { requires: [{ flag: other }] }),
        ask("PATCH", at(other, environment), { requires: [{ flag: one }] }),
      ]);
    },
    async function chains() {
      // Grows at both ends, and is one too long with the last.
      const environment = chance.pick(ENVIRONMENTS);
      const first = chance.int(2);
      const links = FLAGS.slice(first).flatMap((flag, index, all) =>
        index > 0 ? [[flag, all[index - 1]!] as const] : [],
      );
      while (links.length > 0) {
        const [flag, needed] = chance.once(2) ? links.shift()! : links.pop()!;
        await ask("PATCH", at(flag, environment), { requires: [{ flag: needed }] });
      }
    },
    async function removes() {
      const flag = chance.pick(FLAGS);
      await Promise.all([
        needs(),
        chance.once(2) ? details(flag, { archived: true }) : ask("DELETE", `/flags/${flag}`),
      ]);
    },
    async function restores() {
      const flag = chance.pick(FLAGS);
      await details(flag, { archived: false });
      await ask("PATCH", at(flag), { enabled: true, ...patchOf(flag) });
    },
    async function recolours() {
      const environment = chance.pick(ENVIRONMENTS);
      const flag = chance.pick(FLAGS.filter(hasVariants));
      const patch = chance.once(2) ? COLOURS : { variants: null, defaultVariant: null, targeting: null };
      const requires = [{ flag, variants: [chance.pick(["red", "on"])] }];
      await Promise.all([
        ask("PATCH", at(chance.pick(FLAGS), environment), { requires }),
        ask("PATCH", at(flag, environment), patch),
      ]);
    },
    async function switches() {
      await ask("PATCH", at(chance.pick(FLAGS)), { enabled: chance.once(2) });
    },
    async function copies() {
      await Promise.all([needs(), ask("POST", "/environments/live/promote", { from: "develop" })]);
    },
    async function takesBack() {
      await Promise.all([needs(), ask("POST", `${at(chance.pick(FLAGS))}/rollback`, {})]);
    },
    async function applies() {
      const requires = [needing(), needing()];
      const flags = { [chance.pick(FLAGS)]: { environments: { [chance.pick(ENVIRONMENTS)]: { requires } } } };
      const path = "/apply";
      await request(world, chance.pick(world.servers), {
        method: "POST",
        path,
        body: { document: { projects: { [PROJECT]: { flags } } } },
      });
      requireSoundGraph(world);
    },
  ];
}

type Row = {
  environment: string;
  flag: string;
  archived: number;
  enabled: number;
  requires: string;
  rules: string | null;
};

function rowsIn({ db }: World): Row[] {
  return db
    .query<Row, [string]>(
      `SELECT e.slug AS environment, f.slug AS flag, f.archived, coalesce(v.enabled, 0) AS enabled,
         coalesce(v.requires, '') AS requires, v.rules
       FROM flags f JOIN projects p ON p.id = f.project_id JOIN environments e ON e.project_id = p.id
       LEFT JOIN flag_values v ON v.flag_id = f.id AND v.environment_id = e.id WHERE p.slug = ?`,
    )
    .all(PROJECT);
}

/** No flag needs itself, one that is archived or missing, a variant that one does not have, or others too deep, as of any moment. */
function requireSoundGraph(world: World): void {
  for (const [environment, rows] of Map.groupBy(rowsIn(world), (row) => row.environment)) {
    const byFlag = new Map(rows.filter(({ archived }) => archived === 0).map((row) => [row.flag, row]));
    const depths = new Map<string, number>();
    const depthOf = (flag: string, path: readonly string[]): number => {
      const known = depths.get(flag);
      if (known !== undefined) return known;
      const name = `${environment}: ${[...path, flag].join(" > ")}`;
      const row = byFlag.get(flag);
      if (!row) world.violated(`a flag is needed, and archived or gone: ${name}`);
      if (path.includes(flag)) world.violated(`a flag needs itself: ${name}`);
      if (!row || path.includes(flag)) return 0;
      const needed = requirementsOf(row.requires);
      for (const { flag: other, variants = [] } of needed) {
        const known = byFlag.get(other)?.rules == null ? ["on", "off"] : ["red", "blue"];
        const unknown = variants.find((each) => !known.includes(each));
        if (unknown) world.violated(`${name} needs ${other} to be ${unknown}, which it never is`);
      }
      const below = needed.map((each) => depthOf(each.flag, [...path, flag]) + 1);
      const depth = Math.max(0, ...below);
      if (depth > REQUIREMENT_LIMITS.depth) world.violated(`flags need others ${depth} deep: ${name}`);
      depths.set(flag, depth);
      return depth;
    };
    for (const { flag } of byFlag.values()) depthOf(flag, []);
  }
}

/** Each server evaluates each flag as this reference does, which follows what flags need by itself. */
export async function requireNeeds(world: World): Promise<void> {
  requireSoundGraph(world);
  // In a circle, the reference would not end.
  if (world.violations.length > 0) return;
  for (const [environment, rows] of Map.groupBy(rowsIn(world), (row) => row.environment)) {
    const byFlag = new Map(rows.map((row) => [row.flag, row]));
    for (const plan of PLANS)
      for (const { flag, archived } of rows) {
        const expected = archived === 1 ? undefined : variantOf(byFlag, flag, plan);
        for (const server of world.servers) {
          const path = `${ROOT}/environments/${environment}/flags/${flag}/evaluate`;
          const asked = { method: "POST", path, body: { context: { plan } } };
          const { value } = await request(world, server, asked);
          if (archived === 0 && value?.["variant"] !== expected)
            world.violated(
              `${flag} in ${environment} is ${String(value?.["variant"])} instead of ${expected}`,
            );
        }
      }
  }
}

/** The variant of a flag for a context with a plan; undefined for no value. */
function variantOf(byFlag: ReadonlyMap<string, Row>, flag: string, plan: string): string | undefined {
  const { enabled, requires, rules } = byFlag.get(flag)!;
  const isFulfilled = ({ flag: needed, variants }: Requirement) => {
    const variant = variantOf(byFlag, needed, plan);
    if (variants) return variant !== undefined && variants.includes(variant);
    return variant === (byFlag.get(needed)!.rules === null ? "on" : "blue");
  };
  const isServed = enabled === 1 && requirementsOf(requires).every(isFulfilled);
  if (rules === null) return isServed ? "on" : "off";
  if (!isServed) return undefined;
  return plan === "pro" ? "blue" : "red";
}
