import { isObject } from "../../base/json.ts";
import type { FlagdFlag } from "../flagd/definition.ts";
import { type Choice, chosenEnvironment, requireNone, WrongFile } from "./choice.ts";
import { Draft, type Needing, type Noting, UNFULFILLED, Unsupported, namesOf, flagOfRule } from "./draft.ts";
import { clausesRule, isKeyOneOf, type SegmentRules } from "./launchdarkly-clauses.ts";
import { segmentsOf } from "./launchdarkly-segments.ts";
import { attribute, type Chain, chained, fractional, listOf, objectOf, textsOf } from "./logic.ts";

type Json = Record<string, unknown>;

/** A flag of LaunchDarkly in one environment. */
type Flag = {
  key: string;
  path: string;
  config: Json;
  values: unknown[];
  names: string[];
  /** The description and the tags, which only the REST API has. */
  details: { path?: string; description?: unknown; tags?: unknown[] };
};

type Flags = { byKey: Map<string, Flag>; segments: SegmentRules };

/** Data of an SDK of LaunchDarkly, or flags of its REST API with `items`. Throws `WrongFile`. */
export function fromLaunchDarkly(file: unknown, choice: Choice): Draft {
  const draft = new Draft();
  const data = isObject(file) && isObject(file["data"]) ? file["data"] : file;
  if (!isObject(data)) throw new WrongFile(WRONG);
  const isData = isObject(data["flags"]) || isObject(data["flagValues"]) || isObject(data["segments"]);
  const { flags, archived } = isData ? ofSdk(data, choice) : ofApi(data, choice);
  for (const key of archived) draft.skip(key, "it is archived");
  // The REST API has segments in files of their own.
  const segments = segmentsOf(draft, isObject(data["segments"]) ? data["segments"] : isData ? {} : null);
  const all: Flags = { byKey: new Map(flags.map((flag) => [flag.key, flag])), segments };
  for (const flag of flags)
    draft.add(flag.key, flag.path, (note, need) => flagOf(all, flag, note, need), flag.details);
  for (const [key, value] of Object.entries(isObject(data["flagValues"]) ? data["flagValues"] : {}))
    draft.add(key, `/flagValues/${key}`, () => fixed(value));
  return draft;
}

const WRONG = 'a file of LaunchDarkly looks like {"flags":{…},"segments":{…}} or {"items":[…]}';

function ofSdk(data: Json, choice: Choice): { flags: Flag[]; archived: string[] } {
  requireNone(choice);
  const flags = Object.entries(isObject(data["flags"]) ? data["flags"] : {}).flatMap(
    ([key, config]): Flag[] => {
      if (!isObject(config) || config["deleted"] === true) return [];
      return [
        withNames(
          key,
          `/flags/${key}`,
          config,
          Array.isArray(config["variations"]) ? config["variations"] : [],
        ),
      ];
    },
  );
  return { flags, archived: [] };
}

function ofApi(data: Json, choice: Choice): { flags: Flag[]; archived: string[] } {
  const isList = Array.isArray(data["items"]);
  const items = (isList ? (data["items"] as unknown[]) : [data]).filter(isObject);
  if (!isList && !isObject(data["environments"])) throw new WrongFile(WRONG);
  const names = new Set(
    items.flatMap(({ environments }) => Object.keys(isObject(environments) ? environments : {})),
  );
  if (names.size === 0) {
    if (items.length === 0) return { flags: [], archived: [] };
    throw new WrongFile("the flags have no environments: ask the REST API for them with summary=0");
  }
  const environment = chosenEnvironment(choice, [...names]);
  const isArchived = (item: Json) => item["archived"] === true;
  const flags = items.flatMap((item, at): Flag[] => {
    const key = String(item["key"]);
    const environments = objectOf(item["environments"], "environments");
    const config = Object.hasOwn(environments, environment) ? environments[environment] : undefined;
    if (isArchived(item) || !isObject(config)) return [];
    const variations = (Array.isArray(item["variations"]) ? (item["variations"] as unknown[]) : []).map(
      (each) => (isObject(each) ? each["value"] : undefined),
    );
    const { description, tags } = item;
    const path = isList ? `/items/${at}` : "";
    const details = { path, description, tags: Array.isArray(tags) ? (tags as unknown[]) : [] };
    return [{ ...withNames(key, `${path}/environments/${environment}`, config, variations), details }];
  });
  return { flags, archived: items.filter(isArchived).map(({ key }) => String(key)) };
}

function withNames(key: string, path: string, config: Json, values: unknown[]): Flag {
  return { key, path, config, values, names: namesOf(values), details: {} };
}

function fixed(value: unknown): FlagdFlag {
  const [name = ""] = namesOf([value]);
  const variants = typeof value === "boolean" ? { on: true, off: false } : { [name]: value };
  return { state: "ENABLED", variants, defaultVariant: name };
}

function flagOf(all: Flags, flag: Flag, note: Noting, need: Needing): FlagdFlag {
  const { config, names, values } = flag;
  const isOn = config["on"] === true;
  const chain = chainOf(all, flag, note, need);
  const variants = Object.fromEntries(names.map((name, at) => [name, values[at]]));
  const isPlain = names.length === 2 && names.includes("on") && names.includes("off");
  const hasNoRule = chain.every(([condition, result]) => condition === false || result === "on");
  const off = variation(flag, config["offVariation"]);
  // A plain flag that is off is false.
  const isFalse = isPlain && hasNoRule && off === "off";
  if (listOf(config["prerequisites"], "prerequisites").length > 0 && off !== null && !isFalse)
    note("/prerequisites", UNFULFILLED);
  if (!isOn && isFalse)
    return { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: "off" };
  if (!isOn && off !== null)
    note(
      "/on",
      "it is off: readers get the default of their code, where LaunchDarkly has a variation for that",
    );
  const state = isOn ? "ENABLED" : "DISABLED";
  const rest = chain.at(-1)?.[1] ?? null;
  // The result of everyone else is the default, which a rule that leads to no value would serve too.
  const hasNone = chain.some(([condition, result]) => condition !== false && result === null);
  const isDefault = typeof rest === "string" && !hasNone;
  const targeting = isDefault ? chained(chain.slice(0, -1), null) : chained(chain, null);
  return flagOfRule(state, variants, targeting, isDefault ? rest : null);
}

/** The results of a flag that is on, the last of which is for everyone else. */
function chainOf(all: Flags, flag: Flag, note: Noting, need: Needing): Chain {
  const { config } = flag;
  const prerequisites = listOf(config["prerequisites"], "prerequisites").map((each) =>
    isPossible(all, objectOf(each, "a prerequisite"), note, need),
  );
  return [
    [prerequisites.includes(false), variation(flag, config["offVariation"])],
    ...targetsOf(flag),
    ...listOf(config["rules"], "rules").map((each, at) => {
      const rule = objectOf(each, "a rule");
      const own: Noting = (path, message) => note(`/rules/${at}${path}`, message);
      const condition = clausesRule(listOf(rule["clauses"], "clauses"), all.segments, own);
      return [condition, resultOf(flag, rule, own)] as const;
    }),
    [
      true,
      resultOf(flag, objectOf(config["fallthrough"] ?? {}, "fallthrough"), (path, message) =>
        note(`/fallthrough${path}`, message),
      ),
    ],
  ];
}

/** Adds a prerequisite to what a flag needs; false for one that no reader can have. */
function isPossible(all: Flags, { key, variation: wanted }: Json, note: Noting, need: Needing): boolean {
  const flag = all.byKey.get(String(key));
  const name = flag ? variation(flag, wanted) : null;
  if (!flag || name === null) return false;
  if (flag.config["on"] !== true && name === "off") {
    note(
      "/prerequisites",
      `${flag.key} is turned off, and so not ${name} for LaunchDarkly: it is off until you set what it needs`,
    );
    return false;
  }
  need({ flag: flag.key, variants: [name] });
  return true;
}

/** Targets come before rules, those of kinds of contexts first. */
function targetsOf(flag: Flag): Chain {
  const { config } = flag;
  const users = listOf(config["targets"], "targets").map((each) => objectOf(each, "a target"));
  const contexts = listOf(config["contextTargets"], "contextTargets").map((each) =>
    objectOf(each, "a target"),
  );
  const target = (kind: string, { values, variation: index }: Json) =>
    [isKeyOneOf(kind, textsOf(values, "the values of a target")), variation(flag, index)] as const;
  if (contexts.length === 0) return users.map((each) => target("user", each));
  return contexts.flatMap((each) => {
    const kind = typeof each["contextKind"] === "string" ? each["contextKind"] : "user";
    const isPlace = kind === "user" && listOf(each["values"], "values").length === 0;
    const own = isPlace ? users.filter((user) => user["variation"] === each["variation"]) : [each];
    return own.map((one) => target(kind, one));
  });
}

/** The name of a variation by its index; null for none, which is the default of the code. Throws `Unsupported`. */
function variation({ names }: Flag, index: unknown): string | null {
  if (index === undefined || index === null) return null;
  const name = typeof index === "number" ? names[index] : undefined;
  if (name === undefined) throw new Unsupported(`it has no variation ${JSON.stringify(index)}`);
  return name;
}

/** The variation or the rollout of a rule. */
function resultOf(flag: Flag, { variation: index, rollout }: Json, note: Noting): unknown {
  if (index !== undefined && index !== null) return variation(flag, index);
  if (!isObject(rollout)) return null;
  const shares = listOf(rollout["variations"], "the variations of a rollout").map((each) => {
    const { variation: index, weight } = objectOf(each, "a variation of a rollout");
    if (typeof weight !== "number") throw new Unsupported("a share of a rollout has no weight");
    return [variation(flag, index) ?? "", Math.max(0, Math.round(weight))] as const;
  });
  const [first, ...others] = shares.filter(([, weight]) => weight > 0);
  if (!first) return shares.at(-1)?.[0] ?? null;
  if (others.length === 0) return first[0];
  const kind = typeof rollout["contextKind"] === "string" ? rollout["contextKind"] : "user";
  const by = rollout["kind"] === "experiment" ? undefined : rollout["bucketBy"];
  const attributeOf = (name: string) =>
    kind === "user" ? attribute(name === "key" ? "targetingKey" : name) : attribute(kind, name);
  const bucket = attributeOf(typeof by === "string" && by !== "" ? by : "key");
  note("/rollout", `shares by ${bucket.var}: they are kept, who is in which differs`);
  const result = fractional({ by: bucket, salt: flag.key, flag: flag.key }, shares);
  if (!("if" in result)) return result;
  // LaunchDarkly puts readers without the attribute in the first share.
  return { if: [...(result.if as unknown[]).slice(0, 2), first[0]] };
}
