import { isObject } from "../../base/json.ts";
import { type Noting, Unsupported } from "./draft.ts";
import {
  at,
  child,
  isIn,
  isInAnyCase,
  isList,
  isNull,
  isScalar,
  isTrue,
  lengthOf,
  numberIs,
  ORDERS,
  orderRule,
  regexRule,
  typeRule,
  type Value,
  versionRule,
  VERSIONS,
} from "./growthbook-values.ts";
import { and, isOneOf, not, or, type Rule, writings } from "./logic.ts";

type Json = Record<string, unknown>;

/** Groups that conditions refer to by their ids, what has to be noted, and the groups that are being read. */
export type Groups = { groups: Json; note: Noting; within: readonly string[] };

/** A condition on a value, which is the context at first. Throws `Unsupported`. */
export function conditionRule(condition: unknown, within: Groups, root: Value = { var: "" }): Rule {
  if (!isObject(condition)) throw new Unsupported("a condition is not an object");
  const each = (list: unknown) => {
    if (!Array.isArray(list)) throw new Unsupported("conditions are not a list");
    return list.map((one) => conditionRule(one, within, root));
  };
  const any = (list: unknown) => {
    const rules = each(list);
    return rules.length === 0 ? true : or(...rules);
  };
  return and(
    ...Object.entries(condition).map(([key, value]) => {
      switch (key) {
        case "$or":
          return any(value);
        case "$nor":
          return not(any(value));
        case "$and":
          return and(...each(value));
        case "$not":
          return not(conditionRule(value, within, root));
        case "$savedGroup":
          return groupRule(value, within, root);
        default:
          return valueRule(value, at(root, key), within);
      }
    }),
  );
}

function groupRule(reference: unknown, within: Groups, root: Value): Rule {
  if (!isObject(reference) || typeof reference["id"] !== "string") return false;
  const { id, attributeKey } = reference as { id: string; attributeKey?: unknown };
  const group = Object.hasOwn(within.groups, id) ? within.groups[id] : undefined;
  if (within.within.includes(id) || !isObject(group)) return false;
  if (group["type"] === "list") {
    const key = attributeKey ?? group["attributeKey"];
    return typeof key === "string" && Array.isArray(group["values"]) && isIn(at(root, key), group["values"]);
  }
  if (group["type"] !== "condition" || !isObject(group["condition"])) return false;
  return conditionRule(group["condition"], { ...within, within: [...within.within, id] }, root);
}

/** Whether a value is what is wanted: a text, a number, true or false, null, a list, or operators. */
function valueRule(wanted: unknown, value: Value, within: Groups): Rule {
  if (typeof wanted === "string" || typeof wanted === "number") noteCoercion(within);
  if (typeof wanted === "string")
    return or(isOneOf(value, writings(wanted)), wanted === "null" && isNull(value));
  if (typeof wanted === "number") return numberIs(value, wanted);
  if (typeof wanted === "boolean")
    return wanted ? isTrue(value) : and(not(isNull(value)), not(isTrue(value)));
  if (wanted === null || wanted === undefined) return isNull(value);
  if (Array.isArray(wanted)) {
    if (!wanted.every(isScalar)) throw new Unsupported("a list of lists or objects is compared");
    const elements = wanted.map((each, index): Rule => ({ "===": [child(value, String(index)), each] }));
    return and(isList(value), { "===": [lengthOf(value), wanted.length] }, ...elements);
  }
  const entries = Object.entries(wanted);
  if (entries.length === 0 || !entries.every(([key]) => key.startsWith("$")))
    throw new Unsupported("a whole object is compared");
  return and(...entries.map(([operator, operand]) => operatorRule(operator, operand, value, within)));
}

function noteCoercion({ note }: Groups): void {
  note("", "a list or an object matches no text or number here: there it is compared as a text");
}

function operatorRule(operator: string, wanted: unknown, value: Value, within: Groups): Rule {
  const list = Array.isArray(wanted) ? wanted : null;
  if (Object.hasOwn(ORDERS, operator) || /^\$regexi?$/.test(operator)) noteCoercion(within);
  if (Object.hasOwn(ORDERS, operator)) return orderRule(operator, wanted, value);
  if (Object.hasOwn(VERSIONS, operator)) return versionRule(VERSIONS[operator]!, wanted, value, within.note);
  switch (operator) {
    case "$eq":
      return isScalar(wanted) && isOneOf(value, [wanted]);
    case "$ne":
      return !isScalar(wanted) || not(isOneOf(value, [wanted]));
    case "$vne":
      return not(versionRule("=", wanted, value, within.note));
    case "$exists":
      return wanted ? not(isNull(value)) : isNull(value);
    case "$in":
      return list !== null && isIn(value, list);
    case "$nin":
      return list !== null && not(isIn(value, list));
    case "$ini":
      return list !== null && isInAnyCase(value, list);
    case "$nini":
      return list !== null && not(isInAnyCase(value, list));
    case "$inGroup":
    case "$notInGroup": {
      const members = membersOf(within.groups, wanted);
      if (members === null) return false;
      return operator === "$inGroup" ? isIn(value, members) : not(isIn(value, members));
    }
    case "$not":
      return not(valueRule(wanted, value, within));
    case "$size":
      return and(isList(value), valueRule(wanted, lengthOf(value), within));
    case "$elemMatch":
      return elementRule(wanted, value, within);
    case "$all":
      return (
        list !== null &&
        and(isList(value), ...list.map((each): Rule => some(value, valueRule(each, { var: "" }, within))))
      );
    case "$alli":
      return (
        list !== null &&
        and(isList(value), ...list.map((each): Rule => some(value, isInAnyCase({ var: "" }, [each]))))
      );
    case "$regex":
    case "$regexi":
      return regexRule(wanted, operator === "$regexi", value);
    case "$type":
      return typeRule(wanted, value);
    default:
      throw new Unsupported(`the operator ${operator} is not known here`);
  }
}

function some(value: Value, rule: Rule): Rule {
  return rule === false ? false : { some: [value, rule === true ? { "===": [1, 1] } : rule] };
}

function elementRule(wanted: unknown, value: Value, within: Groups): Rule {
  if (!isObject(wanted)) throw new Unsupported("$elemMatch takes an object");
  const keys = Object.keys(wanted);
  const isOperators = keys.length > 0 && keys.every((key) => key.startsWith("$"));
  const element: Value = { var: "" };
  const rule = isOperators ? valueRule(wanted, element, within) : conditionRule(wanted, within, element);
  return and(isList(value), some(value, and(not(isNull(element)), rule)));
}

/** The values of a group; none for one that is missing, null for one without a list. */
function membersOf(groups: Json, id: unknown): unknown[] | null {
  const group = typeof id === "string" && Object.hasOwn(groups, id) ? groups[id] : [];
  if (Array.isArray(group)) return group;
  return isObject(group) && group["type"] === "list" && Array.isArray(group["values"])
    ? group["values"]
    : null;
}
