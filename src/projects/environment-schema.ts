import * as z from "zod/mini";
import { displayName, slugOf } from "../base/slug-schema.ts";

const environmentSlug = slugOf("environment");

export const environmentSchema = z.object({
  slug: environmentSlug,
  name: z.string(),
  /** The value of `x-environment-key`. */
  key: z.string(),
  /** Changes in a locked environment need a confirmation and the scope `flags:locked`. */
  locked: z.boolean(),
});

export const newEnvironmentSchema = z.strictObject({
  slug: environmentSlug,
  name: z.optional(displayName),
  /** The environment whose flag values the new one starts with; without it every flag is off. */
  from: z.optional(environmentSlug),
});

export const environmentPatchSchema = z.strictObject({ locked: z.boolean("locked is true or false") });
