import { isObject } from "../../base/json.ts";
import type { FlagdFlag } from "../flagd/definition.ts";
import { spend, Draft, type Noting, Unsupported, namesOf, flagOfRule } from "./draft.ts";
import { type Choice, requireNone, WrongFile } from "./choice.ts";
import { conditionRule, type Groups } from "./growthbook-conditions.ts";
import { type Feature, type Features, holdsOf, type Json, withoutGates } from "./growthbook-parents.ts";
import {
  and,
  type Chain,
  chained,
  listOf,
  not,
  objectOf,
  type Rule,
  attribute,
  type Bucketing,
  fractional,
  hasText,
  isInShare,
} from "./logic.ts";

/** The payload of an SDK of GrowthBook. Throws `WrongFile`. */
export function fromGrowthBook(file: unknown, choice: Choice): Draft {
  requireNone(choice);
  if (isObject(file) && typeof file["encryptedFeatures"] === "string" && file["encryptedFeatures"] !== "")
    throw new WrongFile("the features are encrypted: take the payload of a connection without encryption");
  if (!isObject(file) || !isObject(file["features"]))
    throw new WrongFile('a file of GrowthBook looks like {"features":{…}}');
  const all: Features = {
    byKey: new Map(),
    groups: isObject(file["savedGroups"]) ? file["savedGroups"] : {},
    conditions: new Map(),
  };
  const draft = new Draft();
  for (const [key, feature] of Object.entries(file["features"]))
    all.byKey.set(key, readFeature(key, feature));
  for (const [key, feature] of all.byKey)
    draft.add(key, `/features/${key}`, (note, need) => {
      if (feature instanceof Unsupported) throw feature;
      return flagOf(all, withoutGates(all, feature, need), note);
    });
  return draft;
}

function readFeature(key: string, given: unknown): Feature | Unsupported {
  try {
    const feature = objectOf(given, "the feature");
    const rules = listOf(feature["rules"], "rules").map((rule) => objectOf(rule, "a rule"));
    const fallback = feature["defaultValue"] ?? null;
    const served = rules.flatMap((rule) =>
      "force" in rule ? [rule["force"]] : listOf(rule["variations"], "variations"),
    );
    const known = new Map(
      [fallback, ...served].map((value) => [JSON.stringify(value ?? null), value ?? null]),
    );
    const values = [...known.values()].filter((value) => value !== null);
    const names = namesOf(values);
    const byText = new Map(names.map((name, at) => [JSON.stringify(values[at]), name]));
    return { key, path: `/features/${key}`, fallback, rules, values, names, byText };
  } catch (error) {
    if (error instanceof Unsupported) return error;
    throw error;
  }
}

function flagOf(all: Features, feature: Feature, note: Noting): FlagdFlag {
  if (feature.values.length === 0) throw new Unsupported("it has no values");
  const chain = chainOf(all, feature, feature.key, [feature.key], note);
  const fallback = nameOf(feature, feature.fallback);
  const isBoolean = feature.values.every((value) => typeof value === "boolean");
  const variants = isBoolean
    ? { on: true, off: false }
    : Object.fromEntries(feature.names.map((name, at) => [name, feature.values[at]]));
  // The default is written into a rule that can lead to no value.
  const hasNone = chain.some(([condition, result]) => condition !== false && result === null);
  const targeting = chained(chain, hasNone ? fallback : null);
  return flagOfRule("ENABLED", variants, targeting, hasNone ? null : fallback);
}

const MAX_NESTED = 10;

/** The results of the rules of a feature. `within` has the features that need it. */
function chainOf(
  all: Features,
  feature: Feature,
  into: string,
  within: readonly string[],
  note: Noting,
): Chain {
  return feature.rules.flatMap((rule, at): Chain => {
    const own: Noting = (path, message) => note(`/rules/${at}${path}`, message);
    const groups: Groups = { groups: all.groups, note: own, within: [] };
    if (listOf(rule["filters"], "filters").length > 0)
      throw new Unsupported("a rule is of a part of a namespace");
    const isForce = "force" in rule;
    if (!isForce && rule["contextualVariations"] !== undefined)
      throw new Unsupported("a bandit chooses its variations");
    const parents = parentsOf(all, rule, into, within, own);
    if (!isForce && !Array.isArray(rule["variations"])) return parents.gates;
    const condition =
      rule["condition"] === undefined || rule["condition"] === null
        ? true
        : conditionRule(rule["condition"], groups);
    const rest = isForce
      ? ([
          [
            and(...parents.needed, condition, coverageOf(feature, rule, into, own)),
            nameOf(feature, rule["force"]),
          ],
        ] as const)
      : ([experimentOf(feature, rule, into, own, [...parents.needed, condition])] as const);
    return [...parents.gates, ...rest];
  });
}

/** Conditions on other features: needed by a rule, or by the feature to have a value. */
function parentsOf(
  all: Features,
  rule: Json,
  into: string,
  within: readonly string[],
  note: Noting,
): { needed: Rule[]; gates: Chain } {
  const needed: Rule[] = [];
  const gates: (readonly [Rule, null])[] = [];
  for (const each of listOf(rule["parentConditions"], "parentConditions")) {
    const { id, condition, gate } = objectOf(each, "a parent condition");
    const key = String(id);
    const parent = all.byKey.get(key);
    if (parent instanceof Unsupported) throw parent;
    if (within.includes(key))
      throw new Unsupported(`its features need each other: ${[...within, key].join(" > ")}`);
    if (within.length > MAX_NESTED)
      throw new Unsupported(`features need each other at most ${MAX_NESTED} deep`);
    const holds = holdsOf(all, condition);
    let met: Rule;
    if (!parent) met = holds(null);
    else {
      note(
        "/parentConditions",
        `the rule of ${key} is written into this one: it does not follow changes of ${key}`,
      );
      const chain = chainOf(all, parent, into, [...within, key], () => {});
      // No value is a text that no variant has.
      const result = chained(
        chain.map(([condition, name]) => [condition, name ?? NO_VALUE] as const),
        nameOf(parent, parent.fallback) ?? NO_VALUE,
      );
      spend(parent.names.length);
      const names = parent.names.filter((_, at) => holds(parent.values[at]));
      const wanted = holds(null) ? [...names, NO_VALUE] : names;
      met =
        typeof result === "string" ? wanted.includes(result) : wanted.length > 0 && { in: [result, wanted] };
    }
    if (gate === true) gates.push([and(...needed, not(met)), null]);
    else needed.push(met);
  }
  return { needed, gates };
}

const NO_VALUE = "no value";

/** The name of a value; null for none. */
function nameOf({ byText }: Feature, value: unknown): string | null {
  return byText.get(JSON.stringify(value ?? null)) ?? null;
}

function bucketingOf(feature: Feature, rule: Json, into: string): Bucketing {
  const name =
    typeof rule["hashAttribute"] === "string" && rule["hashAttribute"] !== "" ? rule["hashAttribute"] : "id";
  const seed = typeof rule["seed"] === "string" && rule["seed"] !== "" ? rule["seed"] : feature.key;
  return { by: name === "id" ? attribute("targetingKey") : attribute(name), salt: seed, flag: into };
}

/** Whether a reader is in the part of the readers that a value is forced for. */
function coverageOf(feature: Feature, rule: Json, into: string, note: Noting): Rule {
  const { range, coverage } = rule;
  if (range === undefined && coverage === undefined) return true;
  const share = range === undefined ? Number(coverage) : widthOf(range);
  const bucketing = bucketingOf(feature, rule, into);
  note(
    "",
    `${Math.round(share * 10_000) / 100} % of readers by ${bucketing.by.var}: the share is kept, who is in it differs`,
  );
  return isInShare(bucketing, share * 100);
}

function widthOf(range: unknown): number {
  const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
  if (typeof start !== "number" || typeof end !== "number")
    throw new Unsupported("a range is not two numbers");
  return Math.max(0, end - start);
}

/** The condition of an experiment, and the share that a reader is in. */
function experimentOf(
  feature: Feature,
  rule: Json,
  into: string,
  note: Noting,
  conditions: readonly Rule[],
): readonly [Rule, unknown] {
  if (rule["namespace"] !== undefined && rule["namespace"] !== null)
    throw new Unsupported("an experiment is of a part of a namespace");
  if (listOf(rule["meta"], "meta").some((each) => isObject(each) && each["passthrough"] === true))
    throw new Unsupported("an experiment holds readers back from others");
  const variations = listOf(rule["variations"], "variations");
  const ranges = Array.isArray(rule["ranges"]) ? rule["ranges"].map(widthOf) : null;
  const given = Array.isArray(rule["weights"])
    ? rule["weights"].filter((each) => typeof each === "number")
    : [];
  const sum = given.reduce((total, each) => total + each, 0);
  const isWhole = given.length === variations.length && sum > 0.99 && sum < 1.01;
  const weights = ranges ?? (isWhole ? given : variations.map(() => 1 / variations.length));
  const covered = ranges ? ranges.reduce((total, each) => total + each, 0) : Number(rule["coverage"] ?? 1);
  const bucketing = bucketingOf(feature, rule, into);
  note(
    "",
    `an experiment by ${bucketing.by.var}: its shares are kept, who gets which differs, and nothing is counted`,
  );
  const shares = variations.map((value, at) => {
    const name = nameOf(feature, value);
    if (name === null) throw new Unsupported("a variation of an experiment has no value");
    return [name, Math.round((weights[at] ?? 0) * 10_000)] as const;
  });
  const isIn =
    covered >= 1
      ? hasText(bucketing.by)
      : isInShare({ ...bucketing, salt: `${bucketing.salt} coverage` }, covered * 100);
  const total = shares.some(([, weight]) => weight > 0);
  return [and(...conditions, isIn), total ? fractional(bucketing, shares) : null];
}
