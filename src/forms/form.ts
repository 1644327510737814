import { type Rights, hasScope } from "../access/rights.ts";
import { type ClockAndRandom, isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { type Random, characters } from "../base/ids.ts";
import type { ProjectSettings } from "../projects/project.ts";
import type { SetResult } from "../base/result.ts";
import { DEFAULT_MAX_FILES, DEFAULT_MAX_FILE_SIZE } from "./limits.ts";
import type { LearnedView } from "./spam/learning-store.ts";
import {
  type ColumnSettings,
  DEFAULT_SETTINGS,
  type FormSettings,
  type SettingsPatch,
  givenSettings,
} from "./settings/settings.ts";

/** The settings of a project that its forms follow. */
type ProjectRules = Pick<ProjectSettings, "accent"> & { quota: Quota | null };

/** The limits of a project for all its forms together; at least one is set. */
export type Quota = Pick<ProjectSettings, "maxSubmissions" | "maxStorage">;

export type Form = {
  /** The slug of its project. */
  project: string;
  /** Unique within the project. */
  slug: string;
  /** The last segment of the URL that submissions are posted to. */
  key: string;
  createdAt: string;
  updatedAt: string;
  /** The settings of its project; absent unless the form is served. */
  ofProject?: ProjectRules;
  /** Whether it fills segments; absent unless the form is served and does. */
  fills?: boolean;
  /** Examples of its project's filter; absent unless the form is read alone and learns. */
  learned?: LearnedView | undefined;
} & ColumnSettings &
  FormSettings;

export type FormPatch = SettingsPatch;

export type NewForm = FormPatch & { slug: string };

/** The settings of a new form in a project. */
type PlacedForm = NewForm & { project: string };

/** A form as it is stored: null for a setting that follows the default. Times are milliseconds since 1970. */
export type FormRecord = Omit<Form, "maxFileSize" | "maxFiles" | "createdAt" | "updatedAt"> & {
  maxFileSize: number | null;
  maxFiles: number | null;
  createdAt: number;
  updatedAt: number;
};

/** A form with default settings: enabled, uploads off, open to any origin. */
function defaultForm(project: string, slug: string, key: string, now: number): FormRecord {
  return {
    project,
    slug,
    name: slug,
    key,
    enabled: true,
    uploads: false,
    learn: false,
    successUrl: null,
    errorUrl: null,
    allowedOrigins: [],
    blockedSenders: [],
    rateLimit: null,
    maxFileSize: null,
    maxFiles: null,
    ...DEFAULT_SETTINGS,
    createdAt: now,
    updatedAt: now,
  };
}

/** The record after a patch, and whether it differs. */
export function applyFormPatch(
  current: FormRecord,
  patch: FormPatch,
  now: number,
): { record: FormRecord; result: SetResult } {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const record: FormRecord = { ...current, ...given, ...givenSettings(patch) };
  if (JSON.stringify(record) === JSON.stringify(current)) return { record, result: "unchanged" };
  return { record: { ...record, updatedAt: now }, result: "updated" };
}

/** A form as the product shows it, with the defaults filled in. */
export function viewForm(record: FormRecord): Form {
  return {
    ...record,
    maxFileSize: record.maxFileSize ?? DEFAULT_MAX_FILE_SIZE,
    maxFiles: record.maxFiles ?? DEFAULT_MAX_FILES,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
  };
}

/** A form with a fresh key, not yet stored: enabled, uploads off. */
export function newForm(app: ClockAndRandom, { project, slug, ...settings }: PlacedForm): FormRecord {
  const now = app.now();
  return applyFormPatch(defaultForm(project, slug, formKey(app.random), now), settings, now).record;
}

/** The place of a form, behind its name in a message. */
export function placeIn(project: string): string {
  return ` in project "${project}"`;
}

/** The error for an unknown form. `project` is where it was looked up; null for all projects that the caller sees. */
export function noSuchForm(slugOrKey: string, project: string | null = null): AppError {
  const place = project === null ? "" : placeIn(project);
  return new AppError("not_found", `form "${slugOrKey}" does not exist${place}`, {
    reason: "form-not-found",
  });
}

export const FORM_KEY = /^[a-z0-9]{24}$/;

/** A random key for the URL of a form: 24 characters of `[a-z0-9]`, 124 bits. */
export function formKey(random: Random): string {
  return characters(random, 24);
}

/** A segment that a form fills, by its slugs. */
export type FilledSegment = { project: string; environment: string; segment: string };

/** The refusal to delete a form that fills segments. It names one segment that the caller sees. */
export function filledSegment(caller: Rights, form: string, filled: readonly FilledSegment[]): AppError {
  const seen = filled.find((each) => hasScope(caller, "flags:read", each));
  const segment = seen ? `segment "${seen.segment}" of ${seen.project}/${seen.environment}` : "a segment";
  return new AppError("conflict", `form "${form}" fills ${segment}`, {
    reason: "form-fills-segment",
    hint: "give the segment a rule or delete it first",
  });
}
