import * as z from "zod/mini";
import { displayName, slugOf } from "../base/slug-schema.ts";
import { environmentSchema } from "./environment-schema.ts";
import { MOST_SUBMISSIONS, type SettingName } from "./project-settings.ts";

const projectSlug = slugOf("project");

const most = (name: string, max: number) => {
  const message = `${name} is a whole number from 1 to ${max}, or null`;
  return z.nullable(z.int(message).check(z.gte(1, message), z.lte(max, message)));
};

const ACCENT = "accent is a colour such as #0b68cb, or null";

/** The settings of a project; null is the default. */
export const settingsSchema = z.object({
  name: displayName,
  mailFrom: z
    .nullable(z.string("mailFrom is a text, or null"))
    .check(
      z.describe(
        "The sender of mail about submissions of its forms, such as `Shop <shop@example.com>`; null for that of the server.",
      ),
    ),
  accent: z
    .nullable(z.string(ACCENT).check(z.regex(/^#[0-9a-fA-F]{6}$/, ACCENT)))
    .check(z.describe("The colour of the built-in pages of its forms, as #rrggbb; null for the usual one.")),
  maxSubmissions: most("maxSubmissions", MOST_SUBMISSIONS).check(
    z.describe("The most submissions to all of its forms on a day in UTC; null for any number."),
  ),
  maxStorage: most("maxStorage", Number.MAX_SAFE_INTEGER).check(
    z.describe("The most bytes of the submissions and files of all of its forms; null for any number."),
  ),
} satisfies Record<SettingName, z.ZodMiniType>);

/** Settings to change; absent ones stay as they are. */
export const someSettings = z.partial(settingsSchema).shape;

const { name, ...otherSettings } = settingsSchema.shape;

export const projectSchema = z.object({
  slug: projectSlug,
  name,
  /** The value of `x-project-key`. */
  key: z.string(),
  environments: z.array(environmentSchema),
  ...otherSettings,
});

export const projectPatchSchema = z
  .strictObject(someSettings)
  .check(
    z.refine((patch) => Object.keys(patch).length > 0, `give one of ${Object.keys(someSettings).join(", ")}`),
  );

export const usageSchema = z.object({
  /** Submissions to all of its forms since midnight UTC. */
  submissions: z.int(),
  /** Bytes of the submissions and files of all of its forms; null while no limit makes them be counted. */
  storage: z.nullable(z.int()),
});

export const newProjectSchema = z.strictObject({
  slug: projectSlug,
  name: z.optional(displayName),
  environments: z.optional(
    z.array(slugOf("environment")).check(
      z.maxLength(1000, "a project starts with at most 1000 environments"),
      z.refine((slugs) => new Set(slugs).size === slugs.length, "an environment is named twice"),
    ),
  ),
});
