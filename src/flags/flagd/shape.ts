import { isObject } from "../../base/json.ts";
import { own } from "../../base/shapes/own.ts";
import type { FlagRules } from "../rules/rules.ts";
import type { Fault } from "./definition.ts";
import {
  PATTERNS_TOO_LARGE,
  PATTERN_LIMITS,
  Pattern,
  networksOf,
  patternOf,
  requireMoment,
} from "./operands.ts";

/** A check of one rule, in which patterns have so many instructions left. */
type Check = { isStrict: boolean; instructions: number };

/** Finds the first fault of a value at a path. */
type Kind = (value: unknown, path: string, check: Check) => Fault | undefined;

/** Values for which a condition holds. */
function only(holds: (value: unknown) => boolean, message: string): Kind {
  return (value, path) => (holds(value) ? undefined : { path, message });
}

/** Lists of so many items, each of its kind; the last kind is also that of all further items. */
function list(least: number, most: number, ...kinds: Kind[]): Kind {
  const more = most === Infinity ? " or more" : ` to ${most}`;
  const count = least === 0 ? "" : ` of ${least}${least === most ? "" : more}`;
  return (value, path, check) => {
    if (!Array.isArray(value)) return { path, message: `must be a list${count}` };
    if (value.length < least || value.length > most)
      return { path, message: `must be a list${count}, not of ${value.length}` };
    return firstFault(value.entries(), ([index, item]) =>
      (kinds[index] ?? kinds.at(-1)!)(item, `${path}/${index}`, check),
    );
  };
}

function firstFault<T>(items: Iterable<T>, find: (item: T) => Fault | undefined): Fault | undefined {
  for (const item of items) {
    const fault = find(item);
    if (fault) return fault;
  }
  return undefined;
}

const text = only((value) => typeof value === "string", "must be a text");
const number = only((value) => typeof value === "number", "must be a number");

/** A constant, an operation, or a list of both. */
const argument: Kind = (value, path, check) => {
  if (Array.isArray(value)) return args(value, path, check);
  return isObject(value) ? operation(value, path, check) : undefined;
};
const args = list(0, Infinity, argument);

/** An operation, or a value of a kind. */
function computedOr(kind: Kind): Kind {
  return (value, path, check) => (isObject(value) ? operation : kind)(value, path, check);
}

/** Names of the context that only flagd sets, of which there are two. */
const variable: Kind = (value, path, check) =>
  typeof value === "string" && /^\$flagd\.(?!(?:timestamp|flagKey)$).*$/u.test(value)
    ? { path, message: "must be $flagd.timestamp or $flagd.flagKey, if it begins with $flagd." }
    : argument(value, path, check);

const version: Kind = (value, path, check) => {
  if (isObject(value) && "var" in value) return operation(value, path, check);
  const isOne = typeof value === "string" && isVersion(value);
  return isOne ? undefined : { path, message: 'must be a version as 1.2.3, or a "var"' };
};

/** Whether a text is a version as https://semver.org describes it. */
function isVersion(text: string): boolean {
  const [, core, labels, build] =
    /^(\d+\.\d+\.\d+)(?:-([\dA-Za-z.-]+))?(?:\+([\dA-Za-z.-]+))?$/.exec(text) ?? [];
  if (core === undefined) return false;
  const parts = [...core.split("."), ...(labels?.split(".") ?? [])];
  const isPadded = parts.some((part) => /^0\d+$/.test(part));
  return !isPadded && ![...parts, ...(build?.split(".") ?? [])].includes("");
}

const COMPARISONS = ["=", "!=", ">", "<", ">=", "<=", "~", "^"];
const comparison = only(
  (value) => COMPARISONS.includes(value as string),
  `must be one of ${COMPARISONS.join(" ")}`,
);

const weight = only(
  (value) => Number.isInteger(value) && (value as number) >= 0,
  "must be integer, 0 or more, or an operation",
);
const share = list(1, 2, argument, computedOr(weight));

/** Constants that operators of this product compare with, of which patterns are limited together. */
function operand(
  read: (value: unknown) => ReturnType<typeof patternOf | typeof networksOf | typeof requireMoment>,
): Kind {
  return (value, path, check) => {
    const found = read(value);
    if (typeof found === "string") return { path, message: found };
    if (found instanceof Pattern) check.instructions -= found.size;
    return check.instructions < 0 ? { path, message: PATTERNS_TOO_LARGE } : undefined;
  };
}
const pattern = operand((value) =>
  typeof value === "string" ? patternOf(value) : "the pattern must be a text",
);
const moment = computedOr(operand(requireMoment));

const named = (names: string, takes: Kind) => names.split(" ").map((name) => [name, takes] as const);

/** The arguments of each operator. */
const OPERATORS: Readonly<Record<string, Kind>> = Object.fromEntries([
  ...named("== === != !== > >= % / in map filter all none some", list(2, 2, argument)),
  ...named("matches", list(2, 2, argument, pattern)),
  ...named("in_cidr", list(2, 2, argument, operand(networksOf))),
  ...named("before after", list(2, 2, argument, moment)),
  ...named("< <= substr", list(2, 3, argument)),
  ...named("reduce", list(3, 3, argument)),
  ...named("*", list(2, Infinity, argument)),
  ...named("if or and + - max min merge cat", list(1, Infinity, argument)),
  ...named("! !!", argument),
  ...named("var", variable),
  ...named("missing", list(0, Infinity, text)),
  ...named("missing_some", list(2, 2, number, list(0, Infinity, text))),
  ...named("$ref", text),
]);

/** The arguments of flagd's own operators. flagd warns about a list of others, and evaluates the operation to null. */
const OWN_OPERATORS: Readonly<Record<string, Kind>> = Object.fromEntries([
  ...named("starts_with ends_with", list(2, 2, computedOr(text))),
  ...named("sem_ver", list(3, 3, version, comparison, version)),
  ...named("fractional", list(1, Infinity, computedOr(share), share)),
]);

/** An object of one operator and its arguments. */
function operation(value: unknown, path: string, check: Check): Fault | undefined {
  if (!isObject(value)) return { path, message: "must be an object" };
  const names = Object.keys(value);
  const [name] = names;
  if (name === undefined) return { path, message: "must have an operator" };
  if (names.length > 1)
    return { path, message: `must have one operator, not ${names.map((each) => `"${each}"`).join(" and ")}` };
  const takes =
    own(OPERATORS, name) ?? (check.isStrict ? own(OWN_OPERATORS, name) : own(OWN_OPERATORS, name) && args);
  if (!takes) return { path, message: `"${name}" is not an operator` };
  return takes(value[name], `${path}/${name}`, check);
}

/**
 * The first fault of a rule by flagd's published schema, and by what the schema does not look at: lists inside the
 * arguments, and the operators of this product. Without `isStrict`, flagd's own operators take any list. A reference is a rule wherever a rule can be.
 */
export function findRuleFault(rule: unknown, path: string, isStrict: boolean): Fault | undefined {
  const isEmpty = isObject(rule) && Object.keys(rule).length === 0;
  return isEmpty ? undefined : operation(rule, path, { isStrict, instructions: PATTERN_LIMITS.ofRule });
}

const scalar = only(
  (value) => ["string", "number", "boolean"].includes(typeof value),
  "must be a text, a number, true or false",
);
const variant = only(
  (value) => value !== null && !Array.isArray(value),
  "must be a text, a number, true, false or an object",
);

const PLAIN: Check = { isStrict: true, instructions: 0 };

function members(value: unknown, path: string, kind: Kind): Fault | undefined {
  if (!isObject(value)) return { path, message: "must be an object" };
  return firstFault(Object.entries(value), ([name, each]) => kind(each, pointer(path, name), PLAIN));
}

/** The first fault of a flag besides its rule. */
export function findValueFault({ variants, defaultVariant, metadata = {} }: FlagRules): Fault | undefined {
  const fault = members(variants, "/variants", variant) ?? members(metadata, "/metadata", scalar);
  if (fault) return fault;
  const names = Object.keys(variants);
  if (names.length === 0) return { path: "/variants", message: "must have at least one variant" };
  if (!names.every((name) => /^.+$/u.test(name)))
    return { path: "/variants", message: "must have names of one line, and no empty one" };
  if (typeof (defaultVariant ?? "") !== "string")
    return { path: "/defaultVariant", message: "must be a text or null" };
  return defaultVariant && !names.includes(defaultVariant)
    ? { path: "/defaultVariant", message: `"${defaultVariant}" is not one of the variants` }
    : undefined;
}

/** The first fault of the metadata of a flag set, in which two members are texts. */
export function findMetadataFault(metadata: unknown): Fault | undefined {
  const kinds: Record<string, Kind> = { flagSetId: text, version: text };
  const fault = members(metadata, "/metadata", scalar);
  if (fault) return fault;
  return firstFault(Object.entries(metadata as object), ([name, value]) =>
    own(kinds, name)?.(value, `/metadata/${name}`, PLAIN),
  );
}

/** A JSON pointer (RFC 6901) to a member of what has a path. */
export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
