import * as z from "zod/mini";
import type { App } from "./app.ts";
import { watchChanges } from "./changes.ts";
import { AppError } from "./errors.ts";
import { formKey } from "./keys.ts";
import type { SetResult } from "./flags.ts";
import {
  CEILING_FILES,
  CEILING_FILE_SIZE,
  DEFAULT_MAX_FILES,
  DEFAULT_MAX_FILE_SIZE,
  formatBytes,
} from "./limits.ts";
import type { Store } from "./store.ts";
import { displayName, isoTime, slugOf, timestamp } from "./slugs.ts";

const formSlug = slugOf("form");

const webAddress = (what: string) =>
  z
    .url({ protocol: /^https?$/, error: `${what} is an absolute address such as https://example.com/thanks` })
    .check(z.maxLength(2000, `${what} has at most 2000 characters`));

/** An origin as browsers send it (RFC 6454): scheme, host and port, nothing after. */
const origin = z
  .string()
  .check(
    z.refine(
      (text) => URL.canParse(text) && new URL(text).origin === text,
      "an origin looks like https://example.com",
    ),
  );

/** `count` submissions of one sender in `seconds`. */
const rateLimitSchema = z.strictObject({
  count: z.int().check(z.gte(1), z.lte(1_000_000)),
  seconds: z.int().check(z.gte(1), z.lte(86_400)),
});

export type RateLimit = z.infer<typeof rateLimitSchema>;

export const formSchema = z.object({
  slug: formSlug,
  name: z.string(),
  /** The last part of the address that submissions are posted to. */
  key: z.string(),
  enabled: z.boolean(),
  uploads: z.boolean(),
  successUrl: z.nullable(z.string()),
  errorUrl: z.nullable(z.string()),
  /** Origins whose pages may post; empty means any. */
  allowedOrigins: z.array(z.string()),
  /** Addresses and CIDR ranges that may not post. */
  blockedSenders: z.array(z.string()),
  rateLimit: z.nullable(rateLimitSchema),
  /** Bytes. */
  maxFileSize: z.int(),
  maxFiles: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export type Form = z.infer<typeof formSchema>;

/** A change to a form; what is left out stays, null sets the default back. */
export const formPatchSchema = z.strictObject({
  name: z.optional(displayName),
  enabled: z.optional(z.boolean()),
  uploads: z.optional(z.boolean()),
  successUrl: z.optional(z.nullable(webAddress("a success URL"))),
  errorUrl: z.optional(z.nullable(webAddress("an error URL"))),
  allowedOrigins: z.optional(z.array(origin).check(z.maxLength(100))),
  blockedSenders: z.optional(
    z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: "a blocked sender is an address or a range such as 203.0.113.0/24",
        }),
      )
      .check(z.maxLength(1000)),
  ),
  rateLimit: z.optional(z.nullable(rateLimitSchema)),
  maxFileSize: z.optional(
    z.nullable(
      z
        .int()
        .check(
          z.gte(1, "a file may have at least 1 byte"),
          z.lte(CEILING_FILE_SIZE, `a file may have at most ${formatBytes(CEILING_FILE_SIZE)}`),
        ),
    ),
  ),
  maxFiles: z.optional(
    z.nullable(
      z
        .int()
        .check(
          z.gte(1, "a submission may have at least 1 file: turn uploads off to have none"),
          z.lte(CEILING_FILES, `a submission may have at most ${CEILING_FILES} files`),
        ),
    ),
  ),
});

export type FormPatch = z.infer<typeof formPatchSchema>;

export const newFormSchema = z.extend(formPatchSchema, { slug: formSlug });

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

/** Makes a form with its key: enabled, uploads off. Throws `conflict` where the slug is taken. */
export function createForm(app: App, input: NewForm): Promise<Form> {
  const { slug, ...settings } = input;
  const now = app.now();
  return app.store.forms.insert(
    applyFormPatch(blankForm(slug, formKey(app.random), now), settings, now).record,
  );
}

/** The form of that slug or key. Throws `not_found`. */
export async function getForm(app: App, slugOrKey: string): Promise<Form> {
  const form = await app.store.forms.find(slugOrKey);
  if (!form) throw noSuchForm(slugOrKey);
  return form;
}

/** Finds forms by the key in their address, kept in memory while no setup changes. */
export function createFormFinder(store: Store): (key: string) => Promise<Form | undefined> {
  const changes = watchChanges(store);
  const kept = new Map<string, { version: number; form: Form }>();
  return async (key) => {
    const version = changes.known() ?? (await changes.look());
    const entry = kept.get(key);
    if (entry?.version === version) return entry.form;
    const form = await store.forms.findByKey(key);
    if (form) kept.set(key, { version, form });
    else kept.delete(key);
    return form;
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
