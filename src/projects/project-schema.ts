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
});

export const projectPatchSchema = z.strictObject({ name: displayName });

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
