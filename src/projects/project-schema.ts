import * as z from "zod/mini";
import { displayName, slugOf } from "../base/slug-schema.ts";
import { environmentSchema } from "./environment-schema.ts";

const projectSlug = slugOf("project");

export const projectSchema = z.object({
  slug: projectSlug,
  name: z.string(),
  /** The value of `x-project-key`. */
  key: z.string(),
  environments: z.array(environmentSchema),
  /** The sender of mail about submissions of its forms, such as `Shop <shop@example.com>`; null for that of the server. */
  mailFrom: z.nullable(z.string()),
  /** The colour of the built-in pages of its forms, as `#rrggbb`; null for the usual one. */
  accent: z.nullable(z.string()),
  /** The most submissions to all of its forms on a day in UTC; null for any number. */
  maxSubmissions: z.nullable(z.int()),
  /** The most bytes of the submissions and files of all of its forms; null for any number. */
  maxStorage: z.nullable(z.int()),
});

const most = (name: string, max: number) => {
  const message = `${name} is a whole number from 1 to ${max}, or null`;
  return z.optional(z.nullable(z.int(message).check(z.gte(1, message), z.lte(max, message))));
};

/** Null resets a setting to its default. */
export const projectPatchSchema = z
  .strictObject({
    name: z.optional(displayName),
    mailFrom: z.optional(z.nullable(z.string("mailFrom is a text, or null"))),
    accent: z.optional(
      z.nullable(
        z
          .string("accent is a colour such as #0b68cb, or null")
          .check(z.regex(/^#[0-9a-f]{6}$/i, "accent is a colour such as #0b68cb, or null")),
      ),
    ),
    maxSubmissions: most("maxSubmissions", 1_000_000_000),
    maxStorage: most("maxStorage", Number.MAX_SAFE_INTEGER),
  })
  .check(
    z.refine(
      (patch) => Object.keys(patch).length > 0,
      "give name, mailFrom, accent, maxSubmissions or maxStorage",
    ),
  );

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
