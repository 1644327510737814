import {
  type Level,
  type Operation,
  type Operations,
  asList,
  converted,
  isConstant,
  isObject,
  onList,
  onlyOf,
  textOf,
} from "./code.ts";
import { lengthOf, paidRead, pay } from "./steps.ts";
import { memberOf, wholeOf } from "./subject.ts";

/** Characters, and elements of a list, whose search costs about as much as one operation. */
const SEARCHED_A_STEP = 1024;
/** Characters of a path that cost one operation to read. */
const READ_A_STEP = 16;

/** The beginning of a path that leads out of a loop, or out of the list that it goes through. */
const UP = "../";

/** The operation `var`: a path, and a default for what is not there. */
const variable: Operation = (args, { compile }) => {
  const name = attributeOf({ var: args });
  if (name !== undefined)
    return (data) => {
      pay(1);
      const value = memberIn(data, name);
      return value === undefined || typeof value === "function" ? null : paidRead(value);
    };
  const code = compile(onlyOf(args));
  if (!isConstant(code))
    return (data, level) => {
      const computed = code(data, level);
      payForPaths(asList(computed)[0]);
      return find(data, level, placeOf(computed));
    };
  const place = placeOf(code.value);
  return (data, level) => find(data, level, place);
};

/** The one name that a part of a rule reads; undefined for any other part. */
export function attributeOf(part: unknown): string | undefined {
  const path = isObject(part) && "var" in part ? onlyOf(part.var) : undefined;
  const isName =
    typeof path === "string" && /^[^.\\$]+$/.test(path) && Object.keys(part as object).length === 1;
  return isName ? path : undefined;
}

export function memberIn(data: unknown, name: string): unknown {
  return (data as Record<string, unknown> | null | undefined)?.[name];
}

/** A path, the names in it, and what is read where it leads nowhere. */
type Place = { path: string; steps: string[]; otherwise: unknown };

/** The place that arguments name; undefined where they have no text. */
const placeOf = converted((args: unknown): Place | undefined => {
  const [name, otherwise = null] = asList(args);
  const path = textOf(name ?? "");
  return { path, steps: stepsOf(path), otherwise };
}, undefined);

function find(data: unknown, level: Level | null, place: Place | undefined): unknown {
  pay(1);
  if (!place) return null;
  let { path, steps } = place;
  let value = data;
  // A path that leads out of loops.
  if (level && path.startsWith(UP)) {
    for (let at: Level | null = level; path.startsWith(UP); at = at?.outer ?? null) {
      value = at?.value;
      path = path.slice(UP.length);
    }
    steps = stepsOf(path);
  }
  if (steps.length === 0) value = wholeOf(value);
  for (const step of steps)
    if ((value = memberOf(value, step)) === undefined) {
      value = place.otherwise;
      break;
    }
  return typeof value === "function" ? null : paidRead(value);
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

/** Counts arguments that are searched by the length of their texts. */
export function payForSearch(values: unknown): void {
  pay(lengthOf(values) / SEARCHED_A_STEP);
}

/** Counts paths that are read, sign by sign. */
function payForPaths(paths: unknown): void {
  pay(lengthOf(paths) / READ_A_STEP);
}

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

export const PATHS: Operations = {
  var: variable,
  /** The paths that lead nowhere. */
  missing: onList((paths, data) => {
    payForPaths(paths);
    return pathsToNothing(paths, data);
  }),
  /** The same, or nothing if enough of them lead somewhere. */
  missing_some: onList((values, data) => {
    payForPaths(values);
    const [enough, paths] = values as [number, readonly unknown[]];
    const found = pathsToNothing(paths, data);
    return paths.length - found.length >= enough ? [] : found;
  }),
};
