import type * as z from "zod/mini";
import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { SetResult } from "../base/result.ts";
import {
  DETAIL_NAMES,
  NO_OPTIONAL,
  type Optional,
  optionalMembers,
  pick,
  type SharedName,
  shownOptional,
  storedOptional,
} from "./flag-fields.ts";
import type { flagDetailSchema, flagPatchSchema, flagSchema } from "./flag-schema.ts";
import { applyRules, parseRules, takesPayload } from "./rules/rules.ts";

export type Flag = z.infer<typeof flagSchema>;

/** A flag as the admin API shows it. */
export type FlagDetail = Omit<z.infer<typeof flagDetailSchema>, "revision">;

export type FlagPatch = z.infer<typeof flagPatchSchema>;

/** The values of a flag in one environment, as stored and as readers see them. Times are milliseconds since 1970. */
export type FlagValues = Pick<Optional, "browser" | "requires"> & {
  slug: string;
  description: string;
  enabled: boolean;
  /** JSON text, or null if none is set. */
  payload: string | null;
  expiresAt: number | null;
  /** `FlagRules` as JSON text, or null for a plain flag. */
  rules: string | null;
  /** Whether the values come from a flagd file and were not set since. */
  imported: boolean;
  createdAt: number;
  updatedAt: number;
  /** The revision of the last change to this record; 0 for a record older than revisions. */
  revision: number;
};

/** A flag as it is stored for one environment. */
export type FlagRecord = FlagValues & Optional;

/** The fields of a flag that all environments of a project share. */
export type FlagHead = Pick<FlagRecord, "slug" | "createdAt" | SharedName>;

/** Summary of a flag in one environment. */
export type FlagStatus = Pick<FlagValues, "slug" | "enabled" | "expiresAt" | "requires" | "revision"> & {
  environment: string;
  /** Its rules as JSON text, of which long ones are cut; null for a plain flag. */
  rules: string | null;
  /** Its payload as JSON text, likewise. */
  payload: string | null;
  /** The rule that chooses among its variants, in words; empty without one. */
  rule: string;
  /** The share of everyone else in percent who get true; null for a flag of other variants. */
  share: string | null;
  isPreview: boolean;
  /** When it was last changed there, or what all environments share. */
  updatedAt: number;
  /** When it was last read; null for never. */
  readAt: number | null;
};

/** The members that readers see, with these values. */
export function viewFlag(record: FlagValues, { enabled, payload }: Pick<Flag, "enabled" | "payload">): Flag {
  return {
    slug: record.slug,
    enabled,
    payload,
    expiredAt: record.expiresAt === null ? null : isoTime(record.expiresAt),
    description: record.description,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  };
}

/** A flag as it is set, with its revision, the rules of a flag with variants, and the optional fields that are set. */
export function viewDetail(record: FlagRecord, now: number) {
  const { revision } = record;
  const rules = record.rules === null ? {} : parseRules(record.rules);
  const values = { enabled: isOn(record, now), payload: payloadSet(record) };
  return { ...viewFlag(record, values), revision, ...rules, ...optionalMembers(record) };
}

/** The fields of a flag that all environments share, as they are shown. */
export function viewDetails(record: FlagRecord) {
  const { slug, description, createdAt, revision } = record;
  return {
    slug,
    description,
    ...shownOptional(record, DETAIL_NAMES),
    createdAt: isoTime(createdAt),
    revision,
  };
}

/** The payload that is set, or the value of the default variant if the variants take its place; `{}` without either. */
function payloadSet({ payload, rules }: FlagValues): unknown {
  if (takesPayload(rules)) return parsePayload(payload);
  const { variants, defaultVariant } = parseRules(rules!);
  return (defaultVariant ? variants[defaultVariant] : undefined) ?? {};
}

/** A payload as readers get it: `{}` if none is set. */
export function parsePayload(payload: string | null): unknown {
  return payload === null ? {} : JSON.parse(payload);
}

/** Whether a flag is on at `now`: an expired one is off. */
export function isOn(record: Pick<FlagValues, "enabled" | "expiresAt">, now: number): boolean {
  return record.enabled && !hasExpired(record, now);
}

/** The JSON text to store for a payload; null for `{}`, which is the same as no payload. */
export function payloadText(payload: unknown): string | null {
  const text = payload === undefined ? "{}" : JSON.stringify(payload);
  return text === "{}" ? null : text;
}

export function hasExpired(record: Pick<FlagValues, "expiresAt">, now: number): boolean {
  return record.expiresAt !== null && record.expiresAt <= now;
}

/** Initial values of a new flag. */
export const BLANK = {
  description: "",
  enabled: false,
  payload: null,
  expiresAt: null,
  rules: null,
  imported: false,
  ...NO_OPTIONAL,
};

/** A flag after a change, and whether the change created, updated or did not alter it. */
export type ChangedFlag = { record: FlagRecord; result: SetResult };

/** Applies a change to the current record; undefined stands for a new flag, which starts off and empty. */
export function changeRecord(
  slug: string,
  current: FlagRecord | undefined,
  now: number,
  change: (before: FlagRecord) => FlagRecord,
): ChangedFlag {
  const before: FlagRecord = current ?? { slug, ...BLANK, createdAt: now, updatedAt: now, revision: 0 };
  const record = change(before);
  if (!current) return { record, result: "created" };
  if (sameRecord(record, before)) return { record, result: "unchanged" };
  return { record: { ...record, updatedAt: now }, result: "updated" };
}

/** Applies a patch to the current record; undefined stands for a new flag. Throws `invalid` for a patch that does not fit. */
export function applyPatch(
  slug: string,
  current: FlagRecord | undefined,
  patch: FlagPatch,
  now: number,
): ChangedFlag {
  return changeRecord(slug, current, now, (before) => patched(before, patch));
}

function patched(before: FlagRecord, patch: FlagPatch): FlagRecord {
  const rules = applyRules(before.rules, patch);
  const record = { ...before, ...storedValues(patch), rules, imported: false };
  const hasPayload = takesPayload(rules);
  if (!hasPayload) record.payload = null;
  if (patch.payload === undefined) return record;
  if (!hasPayload) {
    const message =
      "a flag with variants other than true and false has no payload of its own: each variant is one";
    throw new AppError("invalid", message, { reason: "payload-with-variants" });
  }
  return { ...record, payload: payloadText(patch.payload) };
}

/** The values that a patch or a state names as they are stored, without payload and rules, which belong together. */
export function storedValues(shown: Omit<FlagPatch, "payload">): Partial<FlagRecord> {
  const { expiredAt } = shown;
  return {
    ...pick(shown, ["enabled", "description"]),
    ...storedOptional(shown),
    ...(expiredAt === undefined ? {} : { expiresAt: expiredAt === null ? null : Date.parse(expiredAt) }),
  };
}

/** Ignores `imported`: the origin of values is not a value. */
function sameRecord(a: FlagRecord, b: FlagRecord): boolean {
  return (Object.keys(a) as (keyof FlagRecord)[]).every(
    (field) => field === "imported" || a[field] === b[field],
  );
}

export function noSuchFlag(slug: string): AppError {
  return new AppError("not_found", `Flag with slug ${slug} does not exist`, {
    reason: "flag-not-found",
  });
}

export type FlagPlace = { project: string; environment: string; flag: string };

/** A flag that is a preview, as its readers need it. Times are milliseconds since 1970. */
export type PreviewedFlag = {
  slug: string;
  enabled: boolean;
  previewName: string;
  /** Markdown. */
  previewContent: string;
  expiresAt: number | null;
  createdAt: number;
};
