import { join } from "node:path";
import { type Compiled, compileRules } from "../../src/flags/flagd/compiled.ts";
import { subjectOf } from "../../src/flags/flagd/evaluate.ts";
import { applyPatch, type FlagPatch } from "../../src/flags/flag.ts";
import { createPrerequisites } from "../../src/flags/requires/prerequisites.ts";
import { type Rounds, type Show, eachIn, inTurns, median, spreadOf } from "./figure.ts";
import {
  type Formflag,
  adminHeaders,
  createFlags,
  createProject,
  flagName,
  startFormflag,
} from "./formflag.ts";

const BOOLEANS = { variants: { on: true, off: false }, defaultVariant: "off" };
const OWN = {
  if: [
    { ends_with: [{ var: "email" }, "@example.com"] },
    {
      fractional: [
        ["on", 25],
        ["off", 75],
      ],
    },
    "off",
  ],
};
const CONDITIONS = [
  { "==": [{ var: "country" }, "AT"] },
  { in: [{ var: "plan" }, ["free", "pro"]] },
  { ">=": [{ var: "age" }, 18] },
];
/** For whom flags are evaluated, a user each. */
export const CONTEXTS = Array.from({ length: 64 }, (_, index) => ({
  targetingKey: `user-${index}`,
  email: `user-${index}@example.${index % 2 === 0 ? "com" : "net"}`,
  country: "AT",
  plan: "free",
  age: 30,
}));

const FLAGS = 10_000;
const CHAIN = 10;

/** Flags that need others, to flags that do not. */
export async function measureRequires(directory: string, rounds: Rounds, show: Show): Promise<void> {
  await measureEvaluations(rounds, show);
  await measureLists(directory, rounds, show);
}

/** A flag with a condition and a share, evaluated for a context that is new each time. */
async function measureEvaluations({ rounds, seconds }: Rounds, show: Show): Promise<void> {
  const now = Date.now();
  const flag = (slug: string, patch: FlagPatch) =>
    applyPatch(slug, undefined, { enabled: true, ...patch }, now).record;
  const needing = (name: string) => CONDITIONS.map((_, index) => ({ flag: `${name}-${index}` }));
  const records = [
    flag("alone", { ...BOOLEANS, targeting: OWN }),
    flag("plain", { ...BOOLEANS, targeting: OWN, requires: needing("plain") }),
    flag("ruled", { ...BOOLEANS, targeting: OWN, requires: needing("ruled") }),
    ...CONDITIONS.flatMap((condition, index) => [
      flag(`plain-${index}`, {}),
      flag(`ruled-${index}`, { ...BOOLEANS, targeting: { if: [condition, "on"] } }),
    ]),
  ];
  const compiled = compileRules<Compiled>(records, [], undefined);
  const { evaluates } = createPrerequisites(records, (slug) => compiled.get(slug)?.decide);
  const [alone, plain, ruled] = records.map(evaluates) as [Evaluates, Evaluates, Evaluates];
  const timeOf = (evaluate: Evaluates) =>
    eachIn(seconds / 4, (index) => evaluate(subjectOf(CONTEXTS[index % 64]!), now));
  for (const [what, evaluate] of [
    ["plain flags", plain],
    ["flags with a rule each", ruled],
  ] as const) {
    const result = await inTurns(
      rounds,
      () => timeOf(alone),
      () => timeOf(evaluate),
    );
    show({
      part: "evaluate",
      name: `a flag that needs 3 ${what}, to one that needs none: speed`,
      goal: "≥ 0.5",
      value: median(result.ratios),
      spread: spreadOf(result.ratios),
      detail: `${(result.b * 1e9).toFixed(0)} to ${(result.a * 1e9).toFixed(0)} ns`,
    });
  }
}

type Evaluates = ReturnType<ReturnType<typeof createPrerequisites>["evaluates"]>;

/** Lists of flags in chains and of flags without needs, each read after a change of one flag in them. */
async function measureLists(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const open = async (name: string, patchOf: (index: number) => FlagPatch) => {
    const data = join(directory, name);
    const [keys = {}] = await createProject(data, "bench");
    await createFlags(data, "bench", "bench", FLAGS, patchOf);
    return { server: await startFormflag(data), keys, admin: await adminHeaders(data), isOn: true };
  };
  const free = await open("free", () => ({}));
  const chained = await open("chained", (index) =>
    index % CHAIN === 0 ? {} : { requires: [{ flag: flagName(index - 1) }] },
  );
  for (const [what, path, method] of [
    ["list", "/api/v1/flags", "GET"],
    ["OFREP list", "/ofrep/v1/evaluate/flags", "POST"],
  ] as const) {
    const sides = [chained, free].map((side) => () => cpuAfterChange(side, path, method));
    for (const side of sides) await side();
    const result = await inTurns(rounds.rounds * 3, sides[0]!, sides[1]!);
    show({
      part: "evaluate",
      name: `${what} of ${FLAGS.toLocaleString("en")} flags in chains of ${CHAIN} after a change, to flags that need none: CPU`,
      goal: "≤ 1.3",
      value: median(result.ratios),
      spread: spreadOf(result.ratios),
      detail: `${result.a.toFixed(1)} to ${result.b.toFixed(1)} ms`,
    });
  }
  await Promise.all([free, chained].map(({ server }) => server.stop()));
}

type Listed = {
  server: Formflag;
  keys: Record<string, string>;
  admin: Record<string, string>;
  isOn: boolean;
};

/** Milliseconds of the server's CPU for the first list after a flag in the middle of a chain was turned on or off. */
async function cpuAfterChange(side: Listed, path: string, method: string): Promise<number> {
  const { server, keys, admin } = side;
  side.isOn = !side.isOn;
  const flag = `${server.url}/api/admin/v1/projects/bench/environments/bench/flags/${flagName(CHAIN / 2)}`;
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ enabled: side.isOn });
  await fetch(flag, { method: "PATCH", headers: { ...admin, ...json }, body });
  const before = server.cpuOfThreads();
  const context = { headers: { ...keys, ...json }, body: JSON.stringify({ context: CONTEXTS[0] }) };
  const request = method === "GET" ? { headers: keys } : { method, ...context };
  const answer = await fetch(server.url + path, request);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  await answer.arrayBuffer();
  return server.cpuOfThreads() - before;
}
