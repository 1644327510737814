import { momentOf } from "../../evaluator/moments.ts";
import { patternOf } from "../flagd/operands.ts";
import { type Noting, Unsupported } from "./draft.ts";
import {
  and,
  attribute,
  contains,
  isGiven,
  isList,
  isNumber,
  isOneOf,
  literally,
  not,
  objectOf,
  or,
  listOf,
  type Rule,
} from "./logic.ts";

/** Segments by key: a reference with what has to be noted of it, or why it cannot be said; null if the file has none. */
export type SegmentRules = Map<string, Segment | Unsupported> | null;

/** `uses` has the segments that it refers to. */
type Segment = { rule: Rule; notes: string[]; uses: ReadonlySet<string> };

type Value = { var: string };

/** Attributes of users that are texts, so that no list is expected. */
const TEXTS = new Set(["key", "email", "name", "firstName", "lastName", "country", "ip", "avatar"]);

/** Whether the key of a kind of contexts is one of some. */
export function isKeyOneOf(kind: string, keys: readonly string[]): Rule {
  return keys.length === 0 ? false : { in: [keyOf(kind), [...keys]] };
}

function keyOf(kind: string): Value {
  return kind === "user" ? attribute("targetingKey") : attribute(kind, "key");
}

/** All of the clauses. Throws `Unsupported`. */
export function clausesRule(clauses: readonly unknown[], segments: SegmentRules, note: Noting): Rule {
  return and(
    ...clauses.map((each, at) => {
      const clause = objectOf(each, "a clause");
      return clauseRule(clause, segments, (message) => note(`/clauses/${at}`, message));
    }),
  );
}

function clauseRule(
  clause: Record<string, unknown>,
  segments: SegmentRules,
  note: (message: string) => void,
): Rule {
  const values = listOf(clause["values"], "the values of a clause");
  const negated = (rule: Rule) => (clause["negate"] === true ? not(rule) : rule);
  const op = String(clause["op"]);
  if (op === "segmentMatch")
    return negated(or(...values.map((key) => segmentOf(String(key), segments, note))));
  const kind =
    typeof clause["contextKind"] === "string" && clause["contextKind"] !== "" ? clause["contextKind"] : null;
  const name = typeof clause["attribute"] === "string" ? clause["attribute"] : "";
  if (name === "kind") {
    if (op !== "in") throw new Unsupported(`the operator ${op} for kinds of contexts`);
    return negated(or(...values.map((each) => isGiven(keyOf(String(each))))));
  }
  const steps = kind !== null && name.startsWith("/") ? pointerSteps(name) : [name];
  const [first = ""] = steps;
  const isUser = kind === null || kind === "user";
  const value = isUser && name === "key" ? keyOf("user") : attribute(...(isUser ? steps : [kind, ...steps]));
  const scalar = or(
    ...values.map((wanted) => comparison(op, value, wanted, note)),
    inList(op, value, values),
  );
  if (first === "anonymous") {
    const ofMissing = op === "in" && values.includes(false);
    return or(
      and(isGiven(value), negated(scalar)),
      and(isGiven(keyOf(kind ?? "user")), not(isGiven(value)), negated(ofMissing)),
    );
  }
  const isKnownText = TEXTS.has(first) && steps.length === 1;
  const rule = isKnownText ? scalar : or(scalar, ofElements(op, value, values));
  // An attribute that is missing matches nothing, negated or not.
  return clause["negate"] === true ? and(isGiven(value), not(rule)) : rule;
}

function segmentOf(key: string, segments: SegmentRules, note: (message: string) => void): Rule {
  if (segments === null) throw new Unsupported(`the segment ${key} is not in the file`);
  const segment = segments.get(key);
  if (segment === undefined) return false;
  if (segment instanceof Unsupported) throw segment;
  const seen = new Set<string>();
  const noteAll = (key: string) => {
    const each = segments.get(key);
    if (seen.has(key) || each === undefined || each instanceof Unsupported) return;
    seen.add(key);
    each.notes.forEach(note);
    each.uses.forEach(noteAll);
  };
  noteAll(key);
  return segment.rule;
}

/** The steps of a reference such as `/address/city`. */
function pointerSteps(pointer: string): string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether an attribute is one of the values, for the operator `in`. */
function inList(op: string, value: Value, values: readonly unknown[]): Rule {
  if (op !== "in") return false;
  return isOneOf(
    value,
    values.filter((each) => ["string", "number", "boolean"].includes(typeof each)),
  );
}

const NUMBERS: Readonly<Record<string, string>> = {
  lessThan: "<",
  lessThanOrEqual: "<=",
  greaterThan: ">",
  greaterThanOrEqual: ">=",
};
const VERSIONS: Readonly<Record<string, string>> = {
  semVerEqual: "=",
  semVerLessThan: "<",
  semVerGreaterThan: ">",
};

/** Whether an attribute that is no list compares so with one value of a clause. */
function comparison(op: string, value: Value, wanted: unknown, note: (message: string) => void): Rule {
  const isText = typeof wanted === "string";
  switch (op) {
    case "in":
      return false;
    case "startsWith":
    case "endsWith":
      return isText && { [op === "startsWith" ? "starts_with" : "ends_with"]: [value, wanted] };
    case "contains":
      return isText && contains(value, wanted);
    case "matches":
      return isText && { matches: [value, patternText(wanted)] };
    case "before":
    case "after":
      return { [op]: [value, momentIn(wanted)] };
  }
  if (Object.hasOwn(NUMBERS, op))
    return typeof wanted === "number" && and(isNumber(value), { [NUMBERS[op]!]: [value, wanted] });
  if (!Object.hasOwn(VERSIONS, op)) throw new Unsupported(`the operator ${op} is not known here`);
  const version = isText ? wholeVersion(wanted) : undefined;
  if (version === undefined) return false;
  note(
    "a version with a suffix needs all of its numbers: 2.0.0-rc.1, not 2-rc.1; a list of versions matches nothing",
  );
  return and({ matches: [value, PARTIAL] }, { sem_ver: [value, VERSIONS[op], version] });
}

/** A version that may lack its last numbers. */
const PARTIAL = String.raw`^(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?)?)?$`;

/** A version with all of its numbers; undefined for what is none. */
function wholeVersion(text: string): string | undefined {
  if (text.length > 200) return undefined;
  const match =
    /^(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?((?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/.exec(
      text,
    );
  return match ? `${match[1]}.${match[2] ?? 0}.${match[3] ?? 0}${match[4]}` : undefined;
}

function patternText(text: string): string {
  const pattern = patternOf(text);
  if (typeof pattern === "string") throw new Unsupported(`${JSON.stringify(text)}: ${pattern}`);
  return text;
}

function momentIn(value: unknown): string | number {
  const moment = momentOf(value);
  if (moment === undefined) throw new Unsupported(`${JSON.stringify(value)} is not a time with its zone`);
  return moment;
}

/** Whether an element of a list compares so. Operations of flagd need the whole context, so that others are used. */
function ofElements(op: string, value: Value, values: readonly unknown[]): Rule {
  const element: Value = { var: "" };
  const rule =
    op === "in"
      ? inList(op, element, values)
      : or(...values.map((wanted) => elementRule(op, element, wanted)));
  return rule === false ? false : and(isList(value), { some: [value, rule] });
}

function elementRule(op: string, element: Value, wanted: unknown): Rule {
  const isNoText = not({ matches: [element, ""] });
  const text = typeof wanted === "string" ? wanted : null;
  switch (op) {
    case "startsWith":
      return text !== null && { matches: [element, `^${literally(text)}`] };
    case "endsWith":
      return text !== null && { matches: [element, `${literally(text)}$`] };
    case "contains":
      return text !== null && { matches: [element, literally(text)] };
    case "matches":
      return text !== null && { matches: [element, text] };
    case "before":
    case "after":
      return { [op]: [element, momentIn(wanted)] };
    case "lessThan":
    case "greaterThan":
      return (
        typeof wanted === "number" &&
        and(isNoText, { [op === "lessThan" ? "before" : "after"]: [element, wanted] })
      );
    case "lessThanOrEqual":
    case "greaterThanOrEqual": {
      const strict = op === "lessThanOrEqual" ? "before" : "after";
      return (
        typeof wanted === "number" &&
        and(isNoText, or({ "===": [element, wanted] }, { [strict]: [element, wanted] }))
      );
    }
    default:
      // Versions in a list are not compared.
      return false;
  }
}
