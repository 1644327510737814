import { AppError } from "./errors.ts";
import type { FlagRecord } from "./flags.ts";
import { parseRules } from "./rules.ts";
import { isoTime } from "./time.ts";

/** Who makes a change, and when in milliseconds since 1970. */
export type Author = { who: string; at: number };

/** One recorded change. What it is about is null before it was made and after it was deleted. */
export type Change = {
  /** Grows with every change. */
  revision: number;
  /** Null for what concerns every environment of the project. */
  environment: string | null;
  kind: "flag" | "segment" | "environment";
  name: string;
  at: number;
  who: string;
  before: unknown;
  after: unknown;
};

/** A flag in one environment as the history keeps it, from which it can be set again. */
export type FlagState = {
  enabled: boolean;
  payload: unknown;
  expiredAt: string | null;
  description: string;
  variants?: unknown;
  defaultVariant?: unknown;
  targeting?: unknown;
  metadata?: unknown;
};

export function flagState(record: FlagRecord): FlagState {
  return {
    enabled: record.enabled,
    payload: record.payload === null ? null : JSON.parse(record.payload),
    expiredAt: record.expiresAt === null ? null : isoTime(record.expiresAt),
    description: record.description,
    ...(record.rules === null ? {} : parseRules(record.rules)),
  };
}

/** Throws `conflict` where somebody else was faster: `expected` is 0 for what should not exist yet. */
export function requireRevision(name: string, current: number, expected: number): void {
  if (current === expected) return;
  const found = current === 0 ? "does not exist" : `is at revision ${current}`;
  throw new AppError("conflict", `"${name}" was changed meanwhile: it ${found}, not at ${expected}`, {
    hint: "look at what it is now, then say --if-revision with the new number",
  });
}
