import {
  Constant,
  type Frame,
  type Operation,
  type Run,
  converted,
  onList,
  onlyOf,
  runOf,
  textOf,
} from "./code.ts";
import { lengthOf, paidRead, pay } from "./steps.ts";
import { memberOf, wholeOf } from "./subject.ts";

/** Characters, and elements of a list, whose search costs about as much as one operation. */
const SEARCHED_A_STEP = 1024;

/** The operation `var`: a path, and a default for what is not there. */
export const variable: Operation = (args, { compile }) => {
  const only = onlyOf(args);
  const isList = Array.isArray(only);
  const [path, otherwise] = isList ? (only as unknown[]) : [only];
  const place = compile(path ?? null);
  const fallback = otherwise === undefined ? undefined : runOf(compile(otherwise));
  if (!(place instanceof Constant)) return computed(place, fallback, isList);
  const text = converted(pathOf, undefined)(place.value);
  return text === undefined ? new Constant(null) : reading(text, fallback);
};

/** The one name that a part of a rule reads; undefined for any other part. */
export function attributeOf(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null || !("var" in part)) return undefined;
  if (Object.keys(part).length !== 1) return undefined;
  const path = onlyOf(part.var);
  return typeof path === "string" && /^[^.\\$]+$/.test(path) ? path : undefined;
}

/** A member of data that is a text; undefined for any other. */
export function textIn(data: unknown, name: string): string | undefined {
  const value = data === null || data === undefined ? data : (data as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

/** A member of data as operations take it: null for one that is missing, and for a method of every object. */
function read(data: unknown, name: string): unknown {
  if (data === null || data === undefined) return null;
  const value = (data as Record<string, unknown>)[name];
  return value === undefined || typeof value === "function" ? null : value;
}

/** Reads a path that is known; null is the path of everything. */
function reading(path: string | null, fallback: Run | undefined): Run {
  if (path === null) return everything;
  const steps = stepsOf(path);
  const [name] = steps as [string];
  if (steps.length > 1 || fallback || name === "$flagd")
    return (data, frame) => find(data, frame, path, steps, fallback?.(data, frame));
  return (data) => {
    pay(1);
    return paidRead(read(data, name));
  };
}

/** Reads a path that the rule computes, with its default where it yields a list. */
function computed(place: Run, fallback: Run | undefined, isList: boolean): Run {
  const text = converted(pathOf, undefined);
  return (data, frame) => {
    let path = place(data, frame);
    let otherwise = fallback?.(data, frame);
    if (!isList && Array.isArray(path)) [path, otherwise] = path as unknown[];
    const known = text(path);
    if (known === null) return everything(data);
    if (known !== undefined) return find(data, frame, known, stepsOf(known), otherwise);
    pay(1);
    return null;
  };
}

const everything = (data: unknown): unknown => {
  pay(1);
  const whole = wholeOf(data);
  return typeof whole === "function" ? null : paidRead(whole);
};

function find(data: unknown, frame: Frame | null, path: string, steps: string[], otherwise: unknown) {
  pay(1);
  const [from, left] = frame && path.startsWith("../") ? climb(frame, path) : [data, steps];
  let value = left.length === 0 ? wholeOf(from) : from;
  for (const step of left)
    if ((value = memberOf(value, step)) === undefined) {
      value = otherwise ?? null;
      break;
    }
  return typeof value === "function" ? null : paidRead(value);
}

/** The beginning of a path that leads out of loops, each of which has two levels: its list, and the data around it. */
function climb(frame: Frame, path: string): [from: unknown, steps: string[]] {
  let rest = path;
  let from: unknown;
  let isList = true;
  for (let at: Frame | null = frame; rest.startsWith("../"); isList = !isList) {
    from = isList ? at?.list : at!.data;
    rest = rest.slice("../".length);
    if (!at) break;
    if (!isList) at = at.outer;
  }
  return [from, rest === "" ? [] : stepsOf(rest)];
}

/** The names of a path such as `user.plan`; a backslash before a dot makes it part of a name. */
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  let step = "";
  for (let at = 0; at < path.length; at += 1) {
    const sign = path[at]!;
    if (sign === "\\" && /^[./\\]/.test(path.slice(at + 1, at + 2))) step += path[(at += 1)]!;
    else if (sign === ".") {
      steps.push(step);
      step = "";
    } else step += sign;
  }
  // Dots alone are as many empty names as they are.
  if (steps.length < path.length) steps.push(step);
  return steps;
}

/** A path, or null for none. */
function pathOf(path: unknown): string | null {
  return textOf(path ?? "") || null;
}

/** Counts arguments that are searched by the length of their texts. */
export function payForSearch(values: unknown): void {
  pay(Math.floor(lengthOf(values) / SEARCHED_A_STEP));
}

/** The operation `missing`: the paths that lead nowhere. */
export const missing = onList((paths, data) => {
  payForSearch(paths);
  return pathsToNothing(paths, data);
});

/** The operation `missing_some`: the same, or nothing if enough of them lead somewhere. */
export const missingSome = onList((values, data) => {
  payForSearch(values);
  const [enough, paths] = values as [number, readonly unknown[]];
  const found = pathsToNothing(paths, data);
  return paths.length - found.length >= enough ? [] : found;
});

function pathsToNothing(paths: readonly unknown[], data: unknown): unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < paths.length; at += 1) {
    const path = paths[at];
    const steps = stepsOf(textOf(path));
    let value = data;
    for (const step of steps) {
      value = value ? memberOf(value, step) : undefined;
      if (value === undefined) break;
    }
    if (value === undefined) found.push(path);
  }
  return found;
}
