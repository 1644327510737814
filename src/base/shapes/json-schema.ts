import * as z from "zod/mini";
import { depthOf, isObject } from "../json.ts";

/** A check that a value has at most `limit` nested containers. It aborts, so that no later check recurses deeper. */
export function notDeeper(limit: number, error: string) {
  return z.refine((value: unknown) => depthOf(value, limit) <= limit, { error, abort: true });
}

/** A JSON object with any members. They are not looked at: a record takes ten microseconds for each. */
export function anyObject(error = "it has to be an object"): z.ZodMiniType<Record<string, unknown>> {
  return z
    .any()
    .check(z.refine(isObject, { error, abort: true }), z.meta({ type: "object", additionalProperties: {} }));
}

/** A JSON object of texts, numbers, true and false, of which the first fault is reported. */
export function scalarObject(error: string): z.ZodMiniType<Record<string, string | number | boolean>> {
  const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  return z.any().check(
    z.refine(isObject, { error: "it has to be an object", abort: true }),
    z.refine((value) => Object.values(value as object).every(isScalar), error),
    z.meta({ type: "object", additionalProperties: { type: ["string", "number", "boolean"] } }),
  );
}
