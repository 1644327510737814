import type * as z from "zod/mini";
import { isObject } from "../base/json.ts";
import type { seenFlagsSchema } from "./submission-schema.ts";

/** The variants of flags that the sender of a submission got, in an environment, at a time in ISO 8601. */
export type SeenFlags = z.infer<typeof seenFlagsSchema>;

/** Whether a value, as parsed JSON, is what {@link SeenFlags} describes. */
export function areSeenFlags(value: unknown): value is SeenFlags {
  if (!isObject(value)) return false;
  const { project, environment, at, variants } = value;
  if (typeof project !== "string" || typeof environment !== "string") return false;
  if (typeof at !== "string" || Number.isNaN(Date.parse(at)) || !isObject(variants)) return false;
  return Object.values(variants).every((variant) => typeof variant === "string");
}

/** The assignment that came with a submission. */
export type SentAssignment = {
  flags: SeenFlags;
  /** The key of the environment of the flags. */
  environmentKey: string;
  /** The visitor in that environment, as experiments count visitors; null for one without. */
  pseudonym: string | null;
};

/** Assignments, as forms use them. */
export type AssignmentPort = {
  /**
   * The first valid one of some texts, at once if what that takes is in memory; null for none, also if its environment is gone.
   * Throws `unavailable`.
   */
  read(texts: readonly string[]): SentAssignment | null | Promise<SentAssignment | null>;
};

/** Variants in one line: `hero=b search=on`. */
export function seenInWords({ variants }: SeenFlags): string {
  return Object.entries(variants)
    .map(([flag, variant]) => `${flag}=${variant}`)
    .join(" ");
}
