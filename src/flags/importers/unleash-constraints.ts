import { own } from "../../base/shapes/own.ts";
import { isObject } from "../../base/json.ts";
import { networkOf } from "../../evaluator/networks.ts";
import { patternOf } from "../flagd/operands.ts";
import { type Noting, Unsupported } from "./draft.ts";
import {
  and,
  attribute,
  contains,
  isGiven,
  isOneOf,
  isText,
  isVersion,
  literally,
  moment,
  not,
  NOW,
  numeric,
  or,
  type Rule,
  textsOf,
  version,
  writings,
} from "./logic.ts";

const COMPARISONS: Readonly<Record<string, string>> = { EQ: "==", GT: ">", GTE: ">=", LT: "<", LTE: "<=" };

/** An attribute of the context of Unleash, which has the user beside the properties. */
export function contextAttribute(name: string): { var: string } {
  return attribute(name === "userId" ? "targetingKey" : name);
}

/** Joins the constraints of `where` with `and`. Throws `Unsupported` for a constraint that rules cannot express. */
export function constraintsRule(constraints: readonly unknown[], where: string, note: Noting): Rule {
  return and(
    ...constraints.map((constraint, at) => {
      if (!isObject(constraint)) return false;
      const operator = String(constraint["operator"]);
      const rule = constraintRule(constraint, operator, where, (message) =>
        note(`/constraints/${at}`, message),
      );
      // No client knows the operator: the constraint does not hold, inverted or not.
      if (rule === undefined) throw new Unsupported(`${where}: the operator ${operator} is not known here`);
      return constraint["inverted"] === true ? not(rule) : rule;
    }),
  );
}

function constraintRule(
  constraint: Record<string, unknown>,
  operator: string,
  where: string,
  note: (message: string) => void,
): Rule | undefined {
  const name = typeof constraint["contextName"] === "string" ? constraint["contextName"] : "";
  const kind = operator.replace(/_(?:EQ|GTE?|LTE?)$/, "");
  // Unleash compares the time of the evaluation, whatever the attribute.
  if (operator === "DATE_AFTER" || operator === "DATE_BEFORE") {
    const given = attribute("currentTime");
    const time = { if: [isGiven(given), given, NOW] };
    const value = moment(constraint["value"]);
    return { [operator === "DATE_AFTER" ? "after" : "before"]: [time, value] };
  }
  if (name === "") throw new Unsupported(`${where}: a constraint names no attribute`);
  if (name === "currentTime")
    note("the attribute currentTime is missing in most contexts, where Unleash adds it");
  if (name === "environment" || name === "appName")
    note(`the attribute ${name} has to be in the context, where clients of Unleash add it`);
  const value = contextAttribute(name);
  const texts = textsOf(constraint["values"], `${where}: values`)
    .filter((each) => each !== "")
    .map((each) => each.trim());
  switch (kind) {
    case "IN":
      return isOneOf(value, texts.flatMap(writings));
    case "NOT_IN":
      return not(isOneOf(value, texts.flatMap(writings)));
    case "STR_STARTS_WITH":
    case "STR_ENDS_WITH":
    case "STR_CONTAINS":
      return or(...texts.map((text) => textRule(kind, value, text, constraint["caseInsensitive"] === true)));
    case "REGEX":
      return regexRule(value, String(constraint["value"]), constraint["caseInsensitive"] === true);
    case "IN_CIDR":
      return networksRule(value, texts, constraint["takesOthers"] === true);
    case "NUM":
      return numberRule(value, operator.slice(4), constraint["value"]);
    case "SEMVER": {
      const wanted = String(constraint["value"]);
      if (!isVersion(wanted)) throw new Unsupported(`${where}: ${wanted} is not a version`);
      const comparison = operator.slice(7);
      return version(value, comparison === "EQ" ? "=" : own(COMPARISONS, comparison)!, wanted);
    }
    default:
      return undefined;
  }
}

function textRule(kind: string, value: { var: string }, text: string, isAnyCase: boolean): Rule {
  if (isAnyCase) {
    const pattern = literally(text);
    const places = { STR_STARTS_WITH: `^${pattern}`, STR_ENDS_WITH: `${pattern}$`, STR_CONTAINS: pattern };
    const place = own(places, kind)!;
    return { matches: [value, `(?is)${place}`] };
  }
  if (kind === "STR_CONTAINS") return contains(value, text);
  return { [kind === "STR_STARTS_WITH" ? "starts_with" : "ends_with"]: [value, text] };
}

function regexRule(value: { var: string }, pattern: string, isAnyCase: boolean): Rule {
  // Unleash takes a pattern that does not compile as one that matches nothing.
  if (typeof patternOf(pattern) === "string") return false;
  return { matches: [value, isAnyCase ? `(?i)${pattern}` : pattern] };
}

/** IPv4 and IPv6 are apart in Unleash. Of the strategy for addresses, others than networks are compared as texts. */
function networksRule(value: { var: string }, texts: readonly string[], takesOthers: boolean): Rule {
  const networks = texts.filter(
    (text) => networkOf(text) !== undefined && (!takesOthers || !text.includes(":")),
  );
  const others = takesOthers ? texts.filter((text) => !networks.includes(text)) : [];
  const v4 = networks.filter((text) => !text.includes(":"));
  const v6 = networks.filter((text) => text.includes(":"));
  const inside = (list: readonly string[]): Rule =>
    list.length === 0 ? false : { in_cidr: [value, list.length === 1 ? list[0] : list] };
  const isV6: Rule = and(isText(value), { in: [":", value] });
  return or(and(not(isV6), inside(v4)), and(isV6, inside(v6)), isOneOf(value, others));
}

function numberRule(value: { var: string }, comparison: string, given: unknown): Rule {
  const wanted = Number(given);
  if (Number.isNaN(wanted) || given === "" || given === null) return false;
  if (!Number.isFinite(wanted)) throw new Unsupported(`${wanted} cannot be compared with`);
  return numeric(value, own(COMPARISONS, comparison)!, wanted);
}
