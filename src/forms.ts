import type * as z from "zod/mini";
import type { App, Clockwork } from "./app.ts";
import { watchChanges } from "./changes.ts";
import { AppError } from "./errors.ts";
import { formKey } from "./keys.ts";
import type { SetResult } from "./flags.ts";
import { DEFAULT_MAX_FILES, DEFAULT_MAX_FILE_SIZE } from "./limits.ts";
import type { Store } from "./store.ts";
import type { formPatchSchema, formSchema, newFormSchema, rateLimitSchema } from "./schemas/forms.ts";
import { isoTime } from "./time.ts";

export type RateLimit = z.infer<typeof rateLimitSchema>;

export type Form = z.infer<typeof formSchema>;

export type FormPatch = z.infer<typeof formPatchSchema>;

export type NewForm = z.infer<typeof newFormSchema>;

/** A form as it is stored: null where it follows the default. Times are milliseconds since 1970. */
export type FormRecord = Omit<Form, "maxFileSize" | "maxFiles" | "createdAt" | "updatedAt"> & {
  maxFileSize: number | null;
  maxFiles: number | null;
  createdAt: number;
  updatedAt: number;
};

/** A form without any setting: enabled, uploads off, open to any origin. */
function blankForm(slug: string, key: string, now: number): FormRecord {
  return {
    slug,
    name: slug,
    key,
    enabled: true,
    uploads: false,
    successUrl: null,
    errorUrl: null,
    allowedOrigins: [],
    blockedSenders: [],
    rateLimit: null,
    maxFileSize: null,
    maxFiles: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The record that a patch makes of another. Drivers call it inside the transaction that reads and writes. */
export function applyFormPatch(
  current: FormRecord,
  patch: FormPatch,
  now: number,
): { record: FormRecord; result: SetResult } {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const record: FormRecord = { ...current, ...given };
  if (JSON.stringify(record) === JSON.stringify(current)) return { record, result: "unchanged" };
  return { record: { ...record, updatedAt: now }, result: "updated" };
}

/** The form that people see, with the defaults filled in. */
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
export function newForm(app: Clockwork, { slug, ...settings }: NewForm): FormRecord {
  const now = app.now();
  return applyFormPatch(blankForm(slug, formKey(app.random), now), settings, now).record;
}

/** Makes a form with its key: enabled, uploads off. Throws `conflict` where the slug is taken. */
export function createForm(app: App, input: NewForm): Promise<Form> {
  return app.store.forms.insert(newForm(app, input));
}

/** The form of that slug or key. Throws `not_found`. */
export async function getForm(app: App, slugOrKey: string): Promise<Form> {
  const form = await app.store.forms.find(slugOrKey);
  if (!form) throw noSuchForm(slugOrKey);
  return form;
}

/** Finds forms by the key in their address, kept in memory while no setup changes. */
export function createFormFinder(
  store: Store,
): (key: string) => Form | undefined | Promise<Form | undefined> {
  const changes = watchChanges(store);
  const kept = new Map<string, { version: number; form: Form }>();
  const load = async (key: string) => {
    const version = await changes.look();
    const entry = kept.get(key);
    if (entry?.version === version) return entry.form;
    const form = await store.forms.findByKey(key);
    if (form) kept.set(key, { version, form });
    else kept.delete(key);
    return form;
  };
  return (key) => {
    const version = changes.known();
    const entry = kept.get(key);
    return entry && entry.version === version ? entry.form : load(key);
  };
}

/** Removes a form, its submissions and their files. Throws `not_found`. */
export async function deleteForm(app: App, slugOrKey: string): Promise<void> {
  const files = await app.store.forms.delete(slugOrKey);
  await app.blobs.delete(files);
}

export function noSuchForm(slugOrKey: string): AppError {
  return new AppError("not_found", `form "${slugOrKey}" does not exist`, {
    hint: "formflag forms list shows the forms there are",
  });
}
