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
export function misfit(value: unknown, shape: Shape): string | null {
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

type Member = [name: string, value: unknown, shape: Shape];

function firstMisfit(members: Member[]): string | null {
  for (const [name, value, shape] of members) {
    const inner = misfit(value, shape);
    if (inner !== null) return inner === "" ? name : `${name}.${inner}`;
  }
  return null;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
