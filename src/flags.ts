import * as z from "zod/mini";
import { AppError } from "./errors.ts";
import { depthOf } from "./json.ts";
import { MAX_PAYLOAD, MAX_PAYLOAD_DEPTH, formatBytes } from "./limits.ts";
import { isoTime, momentOf, slugOf, timestamp } from "./slugs.ts";

export const flagSlug = slugOf("flag", ["preview", "code-refs"]);

/** Any JSON value. Not `z.json()`, which recurses as deep as a sender likes. */
const json = z.any();

/** A flag as readers see it in one environment. */
export const flagSchema = z.object({
  slug: flagSlug,
  enabled: z.boolean(),
  payload: json,
  expiredAt: z.nullable(timestamp),
  description: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export type Flag = z.infer<typeof flagSchema>;

/** A change to a flag in one environment; what is left out stays as it is. */
export const flagPatchSchema = z.strictObject({
  enabled: z.optional(z.boolean("enabled is true or false")),
  payload: z.optional(
    json.check(
      z.refine((value) => depthOf(value, MAX_PAYLOAD_DEPTH) <= MAX_PAYLOAD_DEPTH, {
        error: `a payload has at most ${MAX_PAYLOAD_DEPTH} levels`,
        abort: true,
      }),
      z.refine(
        (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PAYLOAD,
        `a payload has at most ${formatBytes(MAX_PAYLOAD)} of JSON`,
      ),
    ),
  ),
  expiredAt: z.optional(z.nullable(momentOf("expiredAt"))),
  description: z.optional(z.string().check(z.maxLength(2000, "a description has at most 2000 characters"))),
});

export type FlagPatch = z.infer<typeof flagPatchSchema>;

/** What a `set` did. */
export type SetResult = "created" | "updated" | "unchanged";

/** A flag as it is stored for one environment. Times are milliseconds since 1970. */
export type FlagRecord = {
  slug: string;
  description: string;
  enabled: boolean;
  /** JSON text, or null where none is set. */
  payload: string | null;
  expiresAt: number | null;
  createdAt: number;
  updatedAt: number;
};

/** The flag that readers see at a moment: one past its expiry is off. */
export function viewFlag(record: FlagRecord, now: number): Flag {
  return {
    slug: record.slug,
    enabled: record.enabled && !hasExpired(record, now),
    payload: record.payload === null ? {} : JSON.parse(record.payload),
    expiredAt: record.expiresAt === null ? null : isoTime(record.expiresAt),
    description: record.description,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  };
}

export function hasExpired(record: FlagRecord, now: number): boolean {
  return record.expiresAt !== null && record.expiresAt <= now;
}

/**
 * The record that a patch makes of the current one (undefined where the flag is new), and what that is to be
 * called. Drivers call it inside the transaction that reads and writes.
 */
export function applyPatch(
  slug: string,
  current: FlagRecord | undefined,
  patch: FlagPatch,
  now: number,
): { record: FlagRecord; result: SetResult } {
  const before = current ?? {
    slug,
    description: "",
    enabled: false,
    payload: null,
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const record = { ...before };
  if (patch.enabled !== undefined) record.enabled = patch.enabled;
  if (patch.payload !== undefined) record.payload = JSON.stringify(patch.payload);
  if (patch.expiredAt !== undefined)
    record.expiresAt = patch.expiredAt === null ? null : Date.parse(patch.expiredAt);
  if (patch.description !== undefined) record.description = patch.description;
  if (!current) return { record, result: "created" };
  if (sameRecord(record, before)) return { record, result: "unchanged" };
  return { record: { ...record, updatedAt: now }, result: "updated" };
}

function sameRecord(a: FlagRecord, b: FlagRecord): boolean {
  return (Object.keys(a) as (keyof FlagRecord)[]).every((field) => a[field] === b[field]);
}

export function noSuchFlag(slug: string): AppError {
  return new AppError("not_found", `Flag with slug ${slug} does not exist`, {
    hint: "formflag flags list -p <project> -e <environment> shows the flags there are",
  });
}
