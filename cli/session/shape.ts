import { isObject } from "../../src/base/json.ts";

/**
 * The expected shape of a value: a kind, or a list or an object of shapes. A member whose name ends in `?` may be
 * missing or null; members that are not named are not checked.
 */
export type Shape = Kind | readonly [Shape] | { readonly [name: string]: Shape };
type Kind = "string" | "number" | "boolean" | "object" | "any";

/**
 * The path of the first value that does not fit a shape, such as `projects.0.slug`: empty for the value itself, null if
 * all fit.
 */
export function findMismatch(value: unknown, shape: Shape): string | null {
  if (typeof shape === "string") {
    const fits =
      shape === "any" ? value !== undefined : shape === "object" ? isObject(value) : typeof value === shape;
    return fits ? null : "";
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return "";
    return firstMisfit(value.map((each, index) => [String(index), each, shape[0]]));
  }
  if (!isObject(value)) return "";
  const members = Object.entries(shape).flatMap(([key, each]): Member[] => {
    const name = key.replace("?", "");
    return name !== key && (value[name] ?? null) === null ? [] : [[name, value[name], each]];
  });
  return firstMisfit(members);
}

/** Whether a value that fits a shape may have the member of a path such as `environments.0.key`. */
export function mayHave(shape: Shape, path: string): boolean {
  if (shape === "object" || shape === "any") return true;
  if (typeof shape === "string") return false;
  const dot = path.indexOf(".");
  const [name, rest] = dot < 0 ? [path, null] : [path.slice(0, dot), path.slice(dot + 1)];
  if (isList(shape)) return /^\d+$/.test(name) && (rest === null || mayHave(shape[0], rest));
  const member = shape[name] ?? shape[`${name}?`];
  return member !== undefined && (rest === null || mayHave(member, rest));
}

/** The names of the members of an object that fits a shape. */
export function namesOf(shape: Shape): string[] {
  return typeof shape === "string" || isList(shape)
    ? []
    : Object.keys(shape).map((key) => key.replace("?", ""));
}

type Member = [name: string, value: unknown, shape: Shape];

function firstMisfit(members: Member[]): string | null {
  for (const [name, value, shape] of members) {
    const inner = findMismatch(value, shape);
    if (inner !== null) return inner === "" ? name : `${name}.${inner}`;
  }
  return null;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
