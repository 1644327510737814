import { Unsupported } from "./draft.ts";
import {
  and,
  attribute,
  contains,
  isGiven,
  isOneOf,
  moment,
  not,
  numeric,
  or,
  type Rule,
  writings,
} from "./logic.ts";

type Value = { var: string };

const TRUTHS: Readonly<Record<string, unknown[]>> = {
  true: [true, 1, "1", "t", "T", "true", "TRUE", "True"],
  false: [false, 0, "0", "f", "F", "false", "FALSE", "False"],
};
const NUMBERS: Readonly<Record<string, string>> = { eq: "==", lt: "<", lte: "<=", gt: ">", gte: ">=" };

/** A constraint of a segment. An attribute that is missing or empty matches nothing else. Throws `Unsupported`. */
export function constraintRule(constraint: Record<string, unknown>, note: (message: string) => void): Rule {
  const { type, property, operator, value: given } = constraint;
  const isEntity = type === "ENTITY_ID_COMPARISON_TYPE";
  const value = isEntity
    ? attribute("targetingKey")
    : attribute(typeof property === "string" ? property : "");
  const isScalar = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
  const wanted = isScalar ? String(given) : Array.isArray(given) ? JSON.stringify(given) : "";
  const isPresent = and(isGiven(value), { "!==": [value, ""] });
  switch (operator) {
    case "empty":
    case "notpresent":
      return or(not(isPresent), { matches: [value, String.raw`^\s*$`] });
    case "notempty":
    case "present":
      return and(isPresent, not({ matches: [value, String.raw`^\s*$`] }));
  }
  const rule = compared(String(type), String(operator), value, wanted, note);
  if (rule === undefined) throw new Unsupported(`the operator ${String(operator)} is not known here`);
  return rule;
}

function compared(
  type: string,
  operator: string,
  value: Value,
  wanted: string,
  note: (message: string) => void,
): Rule | undefined {
  switch (type) {
    case "STRING_COMPARISON_TYPE":
    case "ENTITY_ID_COMPARISON_TYPE":
      return textRule(operator, value, wanted, note);
    case "NUMBER_COMPARISON_TYPE":
      return numberRule(operator, value, wanted);
    case "BOOLEAN_COMPARISON_TYPE":
      return Object.hasOwn(TRUTHS, operator) ? isOneOf(value, TRUTHS[operator]!) : undefined;
    case "DATETIME_COMPARISON_TYPE":
      note(`${value.var} has to be a time with its zone, or milliseconds`);
      return timeRule(operator, value, moment(wanted));
    default:
      throw new Unsupported(`constraints of the type ${type} are not known here`);
  }
}

function textRule(
  operator: string,
  value: Value,
  wanted: string,
  note: (message: string) => void,
): Rule | undefined {
  const isPresent = and(isGiven(value), { "!==": [value, ""] });
  const isSame = isOneOf(value, writings(wanted));
  switch (operator) {
    case "eq":
      return and(isPresent, isSame);
    case "neq":
      return and(isPresent, not(isSame));
    case "prefix":
    case "suffix":
      note(`${value.var} is compared with the spaces around it, which are cut off there`);
      return and(isPresent, { [operator === "prefix" ? "starts_with" : "ends_with"]: [value, wanted] });
    case "contains":
      return and(isPresent, contains(value, wanted));
    case "notcontains":
      return and(isPresent, not(contains(value, wanted)));
    case "isoneof":
      return and(isPresent, isOneOf(value, listIn(wanted).map(String).flatMap(writings)));
    case "isnotoneof":
      return and(isPresent, not(isOneOf(value, listIn(wanted).map(String).flatMap(writings))));
    default:
      return undefined;
  }
}

function listIn(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // It is no list, as any other JSON.
  }
  throw new Unsupported(`${JSON.stringify(text)} is not a list`);
}

function numberRule(operator: string, value: Value, wanted: string): Rule | undefined {
  const isNumber = or(numeric(value, "<=", 0), numeric(value, ">", 0));
  const list =
    operator === "isoneof" || operator === "isnotoneof" ? listIn(wanted).map(Number) : [Number(wanted)];
  if (wanted.trim() === "" || list.some((each) => !Number.isFinite(each)))
    throw new Unsupported(`${JSON.stringify(wanted)} is not a number`);
  const isOne = or(...list.map((each) => numeric(value, "==", each)));
  if (operator === "isoneof") return isOne;
  if (operator === "isnotoneof" || operator === "neq") return and(isNumber, not(isOne));
  return Object.hasOwn(NUMBERS, operator) ? numeric(value, NUMBERS[operator]!, list[0]!) : undefined;
}

function timeRule(operator: string, value: Value, wanted: string | number): Rule | undefined {
  const [before, after]: Rule[] = [{ before: [value, wanted] }, { after: [value, wanted] }];
  const isTime: Rule = { after: [value, -Number.MAX_VALUE] };
  switch (operator) {
    case "lt":
      return before;
    case "gt":
      return after;
    case "lte":
      return and(isTime, not(after!));
    case "gte":
      return and(isTime, not(before!));
    case "eq":
      return and(isTime, not(before!), not(after!));
    case "neq":
      return or(before!, after!);
    default:
      return undefined;
  }
}
