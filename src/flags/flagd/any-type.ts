import { MemberList } from "../members.ts";
import { type Method, LOGGER, SILENT } from "./fractional.ts";

/**
 * Operations of JSON logic that take values of any type, each made of the library's operation or in place of it: the
 * library ends a whole rule with an error where one value has another type. As in json-logic-js, a value that cannot be
 * converted equals nothing and is neither less nor greater than anything, and a value that is no list has no elements.
 */
export const ANY_TYPE: ReadonlyMap<string, (library: Method) => Method> = new Map<
  string,
  (library: Method) => Method
>([
  // oxlint-disable-next-line eqeqeq
  ["==", comparison((a, b) => a == b)],
  // oxlint-disable-next-line eqeqeq
  ["!=", comparison((a, b) => a != b, true)],
  ["===", comparison((a, b) => a === b)],
  ["!==", comparison((a, b) => a !== b)],
  ["<", comparison((a, b) => a < b)],
  ["<=", comparison((a, b) => a <= b)],
  [">", comparison((a, b) => a > b)],
  [">=", comparison((a, b) => a >= b)],
  ["in", () => converting((args) => isIn(...(args as [unknown, unknown])), false)],
  ["cat", () => converting((args) => listOf(args).join(""))],
  ["substr", () => converting((args) => part(...(args as [unknown, number, number])))],
  ["+", arithmetic((a, b) => a + b, 0)],
  ["*", arithmetic((a, b) => a * b, 1)],
  ["/", arithmetic((a, b) => a / b)],
  ["%", arithmetic((a, b) => a % b)],
  ["min", arithmetic(Math.min)],
  ["max", arithmetic(Math.max)],
  ["-", () => (args) => difference(listOf(args).map(numberOf))],
  ["var", converting],
  ["fractional", converting],
  ...["starts_with", "ends_with", "sem_ver"].map((name) => [name, ofElement] as const),
  ...["some", "all", "none", "filter", "map", "reduce"].map((name) => [name, overList] as const),
]);

/** Operations of which the library leaves the arguments unevaluated; these get values. */
export const COMPARISONS = new Set(["==", "!=", "===", "!==", "<", "<=", ">", ">="]);

/** The operation, of this file alone, that a loop reads its elements by. */
export const ELEMENTS = "$elements";

/** The elements of a list; none of any other value. */
export function elementsOf(args: unknown): unknown[] {
  const [list] = args as [unknown];
  return Array.isArray(list) ? list : [];
}

/** Whether a condition holds for a value: as in flagd, not for an empty list or object. */
export function truthy(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  return (Array.isArray(value) ? value : Object.keys(value)).length > 0;
}

/** A method that yields `otherwise` where an object cannot be converted since it has a `toString` or `valueOf` of its own. */
function converting(method: Method, otherwise: unknown = null): Method {
  return (args, context, above, engine) => {
    try {
      return method(args, context, above, engine);
    } catch (error) {
      if (error instanceof TypeError) return otherwise;
      throw error;
    }
  };
}

/** Each argument compared with the next one. JavaScript converts them as JSON logic does, whatever their types are. */
function comparison(holds: (a: never, b: never) => boolean, otherwise = false): () => Method {
  const compare: Method = (args) => {
    const list = args as never[];
    for (let at = 1; at < list.length; at += 1) if (!holds(list[at - 1]!, list[at]!)) return false;
    return true;
  };
  return () => converting(compare, otherwise);
}

/** Numbers combined from the left, beginning with `first` or, without it, the first of them. */
function arithmetic(combine: (a: number, b: number) => number, first?: number): () => Method {
  return () => (args) => {
    const [start = Number.NaN, ...rest] = listOf(args).map(numberOf);
    return rest.reduce((a, b) => combine(a, b), first === undefined ? start : combine(first, start));
  };
}

function difference([first = Number.NaN, ...rest]: number[]): number {
  return rest.length === 0 ? -first : rest.reduce((a, b) => a - b, first);
}

/** The library calls some operations with their only argument in place of a list of it. */
function listOf(args: unknown): unknown[] {
  return Array.isArray(args) ? args : [args];
}

function numberOf(value: unknown): number {
  return typeof value === "object" && value !== null ? Number.NaN : Number(value);
}

function isIn(item: unknown, list: unknown): boolean {
  if (typeof list === "string") return list.includes(item as string);
  return (Array.isArray(list) || list instanceof MemberList) && list.includes(item);
}

/** As in PHP, a negative length leaves out characters at the end. */
function part(text: unknown, from: number, length: number): string {
  const rest = String(text).slice(from);
  return length === undefined ? rest : rest.slice(0, length);
}

/** An operation of flagd on primitive values, which needs no context: in a loop, an element has its place. */
function ofElement(library: Method): Method {
  const context = { [LOGGER]: SILENT };
  return (args, _, above, engine) => {
    for (const each of args as unknown[]) if (typeof each === "object" && each !== null) return null;
    return library(args, context, above, engine);
  };
}

/** A loop over the elements of its first argument. */
function overList(library: Method): Method {
  const prepared = new WeakMap<object, unknown[]>();
  return (args, context, above, engine) => {
    const [list, ...rest] = args as unknown[];
    let known = prepared.get(args as object);
    if (!known) prepared.set(args as object, (known = [{ [ELEMENTS]: [list] }, ...rest]));
    return library(known, context, above, engine);
  };
}
