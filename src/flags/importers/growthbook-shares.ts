import { isObject } from "../../base/json.ts";
import { type Noting, Unsupported } from "./draft.ts";
import {
  and,
  attribute,
  type Bucketing,
  fractional,
  hasText,
  isInShare,
  listOf,
  type Rule,
} from "./logic.ts";

type Json = Record<string, unknown>;

/** A feature with its values, each of them once, and the names of these. */
export type Feature = {
  key: string;
  path: string;
  fallback: unknown;
  rules: Json[];
  values: unknown[];
  names: string[];
  /** The names by the JSON of the values. */
  byText: ReadonlyMap<string, string>;
};

/** The name of a value; null for none. */
export function nameOf({ byText }: Feature, value: unknown): string | null {
  return byText.get(JSON.stringify(value ?? null)) ?? null;
}

function bucketingOf(feature: Feature, rule: Json, into: string): Bucketing {
  const name =
    typeof rule["hashAttribute"] === "string" && rule["hashAttribute"] !== "" ? rule["hashAttribute"] : "id";
  const seed = typeof rule["seed"] === "string" && rule["seed"] !== "" ? rule["seed"] : feature.key;
  return { by: name === "id" ? attribute("targetingKey") : attribute(name), salt: seed, flag: into };
}

/** Whether a reader is in the part of the readers that a value is forced for. */
export function coverageOf(feature: Feature, rule: Json, into: string, note: Noting): Rule {
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
export function experimentOf(
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
