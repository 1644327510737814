import { isObject } from "../../base/json.ts";
import { patternOf } from "../flagd/operands.ts";
import { Unsupported } from "./draft.ts";
import {
  and,
  attribute,
  contains,
  isGiven,
  isInShare,
  isNumber,
  isOneOf,
  isText,
  isVersion,
  listOf,
  not,
  objectOf,
  or,
  type Rule,
  version,
} from "./logic.ts";

type Json = Record<string, unknown>;
type Value = { var: string };
type Note = (message: string) => void;

const MAX_NESTED = 20;

/** The rules of a segment, all of which have to hold. Throws `Unsupported`. */
export function segmentRule(segment: Json, note: Note): Rule {
  const rules = listOf(segment["rules"], "rules");
  const salt = `segment ${String(segment["id"])}`;
  return rules.length === 0
    ? false
    : and(...rules.map((each) => nestedRule(objectOf(each, "a rule"), salt, note, 0)));
}

function nestedRule(rule: Json, salt: string, note: Note, depth: number): Rule {
  if (depth > MAX_NESTED) throw new Unsupported(`rules are in at most ${MAX_NESTED} others`);
  const conditions = listOf(rule["conditions"], "conditions").map((each) =>
    conditionRule(objectOf(each, "a condition"), salt, note),
  );
  const nested = listOf(rule["rules"], "rules").map((each) =>
    nestedRule(objectOf(each, "a rule"), salt, note, depth + 1),
  );
  const type = String(rule["type"]);
  if (nested.length > 0 && type !== "ALL")
    note(`rules in a rule of the type ${type} all have to hold, as Flagsmith evaluates them`);
  return and(conditions.length === 0 ? true : joined(type, conditions), ...nested);
}

function joined(type: string, rules: readonly Rule[]): Rule {
  switch (type) {
    case "ALL":
      return and(...rules);
    case "ANY":
      return or(...rules);
    case "NONE":
      return not(or(...rules));
    default:
      throw new Unsupported(`rules of the type ${type} are not known here`);
  }
}

const FLAG_ENABLED = /^\$\.flags\.(.+)\.enabled$/;

/**
 * The features of which a segment holds for readers for whom one is off, as Flagsmith writes what a feature depends on; null for
 * any other segment.
 */
export function dependenciesIn(segment: Json): string[] | null {
  let [rule, ...more] = listOf(segment["rules"], "rules");
  while (more.length === 0 && isObject(rule) && listOf(rule["conditions"], "conditions").length === 0)
    [rule, ...more] = listOf(rule["rules"], "rules");
  if (more.length > 0 || !isObject(rule) || listOf(rule["rules"], "rules").length > 0) return null;
  const conditions = listOf(rule["conditions"], "conditions");
  if (conditions.length > 1 && rule["type"] !== "ANY") return null;
  const names = conditions.map((each) => {
    const { property_, property, operator, value } = objectOf(each, "a condition");
    const [, name] = FLAG_ENABLED.exec(String(property_ ?? property)) ?? [];
    return operator === "NOT_EQUAL" && String(value).toLowerCase() === "true" ? name : undefined;
  });
  return names.every((name) => name !== undefined) ? names : null;
}

/** The attribute of a trait, or of the identity itself. Throws `Unsupported` for the state of a feature. */
function traitOf(name: string): Value {
  if (name.startsWith("$.flags")) throw new Unsupported(`it asks for ${name}, the state of another feature`);
  return name === "$.identity.identifier" ? attribute("targetingKey") : attribute(name);
}

function conditionRule(condition: Json, salt: string, note: Note): Rule {
  const operator = String(condition["operator"]);
  const named = condition["property_"] ?? condition["property"];
  const property = typeof named === "string" ? named : "";
  const given = condition["value"];
  const wanted =
    given === null || given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given);
  if (operator === "PERCENTAGE_SPLIT") {
    const by =
      property === "" || property === "$.identity.key" ? attribute("targetingKey") : traitOf(property);
    note(`${wanted} % of readers by ${by.var}: the share is kept, who is in it differs`);
    return isInShare({ by, salt, flag: "" }, numberIn(wanted));
  }
  const value = traitOf(property);
  switch (operator) {
    case "IS_SET":
      return isGiven(value);
    case "IS_NOT_SET":
      return not(isGiven(value));
    case "EQUAL":
      return equal(value, wanted);
    case "NOT_EQUAL":
      return unequal(value, wanted);
    case "GREATER_THAN":
    case "GREATER_THAN_INCLUSIVE":
    case "LESS_THAN":
    case "LESS_THAN_INCLUSIVE":
      return ordered(ORDERS[operator]!, value, wanted);
    case "CONTAINS":
      return contains(value, wanted);
    case "NOT_CONTAINS":
      return and(isText(value), not(contains(value, wanted)));
    case "REGEX":
      return regex(value, wanted, note);
    case "IN":
      return isIn(value, given, wanted);
    case "MODULO": {
      const [divisor = "", remainder = ""] = wanted.split("|");
      if (numberIn(divisor) === 0) throw new Unsupported("the divisor of a remainder is 0");
      note(
        "the remainder of a negative number is negative, as in Flagsmith's SDK for Node; in its API it is not",
      );
      return and(isNumber(value), { "===": [{ "%": [value, numberIn(divisor)] }, numberIn(remainder)] });
    }
    default:
      throw new Unsupported(`the operator ${operator} is not known here`);
  }
}

const ORDERS: Readonly<Record<string, string>> = {
  GREATER_THAN: ">",
  GREATER_THAN_INCLUSIVE: ">=",
  LESS_THAN: "<",
  LESS_THAN_INCLUSIVE: "<=",
};
const SEMVER = ":semver";

function numberIn(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number))
    throw new Unsupported(`${JSON.stringify(text)} is not a number`);
  return number;
}

const isTruth = (value: Value): Rule => ({ in: [value, [true, false]] });

/** A trait is compared as its own type: what is wanted is read as that. */
function equal(value: Value, wanted: string): Rule {
  if (wanted.endsWith(SEMVER)) return versionRule(value, "=", wanted);
  const number = Number(wanted);
  const isNumeric = wanted.trim() !== "" && Number.isFinite(number);
  return isOneOf(value, [wanted, !["false", "False"].includes(wanted), ...(isNumeric ? [number] : [])]);
}

function unequal(value: Value, wanted: string): Rule {
  if (wanted.endsWith(SEMVER)) return versionRule(value, "!=", wanted);
  const isNumeric = wanted.trim() !== "" && Number.isFinite(Number(wanted));
  const isComparable = or(isText(value), isTruth(value), isNumeric && isNumber(value));
  return and(isComparable, not(equal(value, wanted)));
}

function versionRule(value: Value, symbol: string, wanted: string): Rule {
  const text = wanted.slice(0, -SEMVER.length);
  if (!isVersion(text)) throw new Unsupported(`${text} is not a version`);
  return version(value, symbol, text);
}

function ordered(symbol: string, value: Value, wanted: string): Rule {
  if (wanted.endsWith(SEMVER)) return versionRule(value, symbol, wanted);
  const number = Number(wanted);
  const isNumeric = wanted.trim() !== "" && Number.isFinite(number);
  return or(
    and(isText(value), { [symbol]: [value, wanted] }),
    isNumeric && and(isNumber(value), { [symbol]: [value, number] }),
  );
}

/** Patterns match from the beginning, also of numbers, True and False. */
function regex(value: Value, wanted: string, note: Note): Rule {
  note(
    `${JSON.stringify(wanted)} matches from the beginning, as in Flagsmith's API; its SDK for Node finds it anywhere`,
  );
  const pattern = `^(?:${wanted})`;
  const compiled = patternOf(pattern);
  if (typeof compiled === "string") throw new Unsupported(`${JSON.stringify(wanted)}: ${compiled}`);
  return or(
    { matches: [value, pattern] },
    and(isNumber(value), { matches: [{ cat: [value] }, pattern] }),
    compiled.occursIn("True") && { "===": [value, true] },
    compiled.occursIn("False") && { "===": [value, false] },
  );
}

/** One of a list in JSON or between commas; texts and whole numbers only. */
function isIn(value: Value, given: unknown, text: string): Rule {
  let list: unknown = given;
  if (typeof given === "string") {
    try {
      list = JSON.parse(given);
    } catch {
      list = null;
    }
  }
  const texts = (Array.isArray(list) ? list : text.split(",")).map(String);
  const numbers = texts.filter((each) => /^-?\d{1,15}$/.test(each)).map(Number);
  return isOneOf(value, [...texts, ...numbers]);
}
