import { own } from "../../base/shapes/own.ts";
import { patternOf } from "../flagd/operands.ts";
import { type Noting, Unsupported } from "./draft.ts";
import { and, isOneOf, literally, not, NUMERIC, or, type Rule } from "./logic.ts";

export type Value = { var: string };

// Operations of flagd need the whole context, which elements of a list do not have: others are used.
const isText = (value: Value): Rule => ({ matches: [value, ""] });
export const isNull = (value: Value): Rule => ({ "===": [value, null] });
export const lengthOf = (value: Value): Value => child(value, "length");
export const isList = (value: Value) => and({ "!==": [lengthOf(value), null] }, not(isText(value)));
const isTruth = (value: Value): Rule => ({ in: [value, [true, false]] });
const isNumber = (value: Value) =>
  and(not(isNull(value)), { "===": [lengthOf(value), null] }, not(isTruth(value)), {
    after: [value, -Number.MAX_VALUE],
  });

export function child({ var: path }: Value, step: string): Value {
  return { var: path === "" ? step : `${path}.${step}` };
}

/** The attribute at a path of dots in a value. */
export function at(root: Value, path: string): Value {
  const steps = path.split(".");
  if (steps.some((step) => step === "" || step === "length" || step.includes("\\")))
    throw new Unsupported(`the attribute ${JSON.stringify(path)} cannot be read by a rule`);
  return child(root, path);
}

export const isScalar = (value: unknown) =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

export function isTrue(value: Value): Rule {
  // An empty list is true in JavaScript.
  return or({ "!!": [value] }, and({ "===": [lengthOf(value), 0] }, { "!==": [value, ""] }));
}

export function numberIs(value: Value, wanted: number): Rule {
  const same = [wanted, ...(wanted === 0 ? [null, false, ""] : []), ...(wanted === 1 ? [true] : [])];
  return or(isOneOf(value, same), and({ matches: [value, NUMERIC] }, { "==": [value, wanted] }));
}

export function isIn(value: Value, list: readonly unknown[]): Rule {
  const known = list.filter(isScalar);
  return or(
    isOneOf(value, known),
    known.length > 0 && and(isList(value), { some: [value, isOneOf({ var: "" }, known)] }),
  );
}

/** As `isIn`, where texts are compared without their case. */
export function isInAnyCase(value: Value, list: readonly unknown[]): Rule {
  const texts = list.filter((each) => typeof each === "string").map(literally);
  const others = list.filter((each) => isScalar(each) && typeof each !== "string");
  const one = (each: Value) =>
    or(texts.length > 0 && { matches: [each, `(?is)^(?:${texts.join("|")})$`] }, isOneOf(each, others));
  const inside = one({ var: "" });
  return or(one(value), inside !== false && and(isList(value), { some: [value, inside] }));
}

export const ORDERS: Readonly<Record<string, [string, (a: number, b: number) => boolean]>> = {
  $lt: ["<", (a, b) => a < b],
  $lte: ["<=", (a, b) => a <= b],
  $gt: [">", (a, b) => a > b],
  $gte: [">=", (a, b) => a >= b],
};
export const VERSIONS: Readonly<Record<string, string>> = {
  $vlt: "<",
  $vlte: "<=",
  $vgt: ">",
  $vgte: ">=",
  $veq: "=",
};

/**
 * A comparison of order as JavaScript makes it: texts by their characters, otherwise as numbers, where a missing value
 * is 0.
 */
export function orderRule(operator: string, wanted: unknown, value: Value): Rule {
  const [symbol, holds] = own(ORDERS, operator)!;
  if (typeof wanted !== "string" && typeof wanted !== "number")
    throw new Unsupported(`${operator} compares with ${JSON.stringify(wanted)}`);
  const number = typeof wanted === "number" ? wanted : Number(wanted);
  const ofConstant = (constant: number, rule: Rule) =>
    !Number.isNaN(number) && holds(constant, number) && rule;
  const compared: Rule = { [symbol]: [value, number] };
  return or(
    typeof wanted === "string"
      ? and(isText(value), { [symbol]: [value, wanted] })
      : and({ matches: [value, NUMERIC] }, compared),
    !Number.isNaN(number) && and(isNumber(value), compared),
    ofConstant(
      0,
      or(isNull(value), { "===": [value, false] }, typeof wanted === "number" && { "===": [value, ""] }),
    ),
    ofConstant(1, { "===": [value, true] }),
  );
}

const VERSION = String.raw`^v?(0|[1-9]\d{0,4})(\.(0|[1-9]\d{0,4})){2}(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?(\+.*)?$`;

export function versionRule(symbol: string, wanted: unknown, value: Value, note: Noting): Rule {
  if (typeof wanted !== "string" || wanted.length > 200 || !new RegExp(VERSION).test(wanted))
    throw new Unsupported(`${JSON.stringify(wanted)} is not a version of three numbers`);
  if (value.var === "" || value.var.startsWith(".")) throw new Unsupported("versions in a list are compared");
  note(
    "",
    "a version of other than three numbers, or none, matches nothing: there it is compared by its characters",
  );
  return and({ matches: [value, VERSION] }, { sem_ver: [value, symbol, wanted.replace(/^v|\+.*$/g, "")] });
}

export function regexRule(wanted: unknown, isAnyCase: boolean, value: Value): Rule {
  if (typeof wanted !== "string") throw new Unsupported("a regular expression is not a text");
  try {
    RegExp(wanted);
  } catch {
    // One that does not compile matches nothing.
    return false;
  }
  const pattern =
    (isAnyCase ? "(?i)" : "") +
    wanted
      .replaceAll(/\\\//g, "/")
      .replaceAll("(?<", "(?P<")
      .replaceAll(/\(\?P<([=!])/g, "(?<$1");
  const compiled = patternOf(pattern);
  if (typeof compiled === "string") throw new Unsupported(`${JSON.stringify(wanted)}: ${compiled}`);
  return or(
    { matches: [value, pattern] },
    and(or(isNumber(value), isTruth(value)), { matches: [{ cat: [value] }, pattern] }),
    // Nothing is the text null there.
    compiled.occursIn("null") && isNull(value),
  );
}

export function typeRule(wanted: unknown, value: Value): Rule {
  switch (wanted) {
    case "string":
      return isText(value);
    case "number":
      return isNumber(value);
    case "boolean":
      return isTruth(value);
    case "array":
      return isList(value);
    case "null":
      return isNull(value);
    case "object":
      return not(or(isText(value), isNumber(value), isTruth(value), isList(value), isNull(value)));
    default:
      return false;
  }
}
