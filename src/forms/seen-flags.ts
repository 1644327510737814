import { isObject } from "../base/json.ts";

/** The variants of flags that the sender of a submission got, in an environment, at a time in ISO 8601. */
export type SeenFlags = {
  project: string;
  environment: string;
  at: string;
  variants: Record<string, string>;
};

/** Whether a value, as parsed JSON, is what {@link SeenFlags} describes. */
export function areSeenFlags(value: unknown): value is SeenFlags {
  if (!isObject(value)) return false;
  const { project, environment, at, variants } = value;
  if (typeof project !== "string" || typeof environment !== "string") return false;
  if (typeof at !== "string" || Number.isNaN(Date.parse(at)) || !isObject(variants)) return false;
  return Object.values(variants).every((variant) => typeof variant === "string");
}
