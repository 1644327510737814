import { isObject } from "../../base/json.ts";
import type { Noting } from "./draft.ts";
import { isOneOf, or, type Rule, writings } from "./logic.ts";
import { contextAttribute } from "./unleash-constraints.ts";

export type Variant = {
  name: string;
  weight: number;
  /** Undefined for that of its strategy. */
  stickiness: string | undefined;
  /** The value in it; undefined without one. */
  payload: { type: string; value: string } | undefined;
  overrides: unknown;
};

export function readVariants(value: unknown): Variant[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter(isObject).map(({ name, weight, stickiness, payload, overrides }) => ({
    name: typeof name === "string" ? name : "",
    weight: typeof weight === "number" && weight > 0 ? Math.round(weight) : 0,
    stickiness: typeof stickiness === "string" && stickiness !== "" ? stickiness : undefined,
    payload:
      isObject(payload) && typeof payload["value"] === "string"
        ? { type: String(payload["type"]), value: payload["value"] }
        : undefined,
    overrides,
  }));
}

/** Whether a reader gets a variant whatever the weights are. */
export function isOverridden(overrides: unknown): Rule {
  const list: unknown[] = Array.isArray(overrides) ? overrides : [];
  return or(
    ...list.filter(isObject).map(({ contextName, values }): Rule => {
      const texts = Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
      return typeof contextName === "string"
        ? isOneOf(contextAttribute(contextName), texts.flatMap(writings))
        : false;
    }),
  );
}

/**
 * The variants of a flag by name. The values are their payloads if all have payloads of one type, otherwise their
 * names.
 */
export function valuesOf(variants: readonly Variant[], note: Noting): Record<string, unknown> {
  const values = new Map(variants.map(({ name, payload }) => [name, payload && parsed(payload)]));
  const types = new Set([...values.values()].map((value) => (value === undefined ? "none" : typeof value)));
  if (types.size === 1 && !types.has("none")) return Object.fromEntries(values);
  if (!types.has("none") || types.size > 1)
    note("/variants", "the variants have no payloads of one type: their values are their names");
  return Object.fromEntries([...values.keys()].map((name) => [name, name]));
}

function parsed({ type, value }: { type: string; value: string }): unknown {
  if (type === "number" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  if (type !== "json") return value;
  try {
    const json: unknown = JSON.parse(value);
    return isObject(json) ? json : value;
  } catch {
    return value;
  }
}
