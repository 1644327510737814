import * as z from "zod/mini";
import { timestamp } from "../../base/slug-schema.ts";
import { CODE_LIMITS as LIMITS } from "../limits.ts";

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

const referenceSchema = z.object({
  filePath: text(LIMITS.filePath),
  lineNumber: z.int().check(z.gte(1)),
  lineContent: z.string().check(z.meta({ maxLength: LIMITS.lineContent })),
});

/** An upload of code references. It only describes the body: `parseUpload` checks it. */
export const uploadSchema = z.object({
  branch: text(LIMITS.branch),
  /** The name that the sender gives the code. */
  projectName: text(LIMITS.projectName),
  repositoryUrl: z.optional(z.nullable(text(LIMITS.repositoryUrl))),
  /** The commit that was read. */
  commit: z.optional(z.nullable(text(LIMITS.commit))),
  /** By the slug of the flag. */
  references: z.record(
    text(LIMITS.slug),
    z.array(referenceSchema).check(z.meta({ maxItems: LIMITS.references })),
  ),
});

export const uploadedSchema = z.object({
  branch: z.string(),
  projectName: z.string(),
  references: z.int(),
  /** The slugs with a reference. */
  slugs: z.int(),
  /** The slugs that are not flags of the project. */
  unknown: z.array(z.string()),
});

/** A place in code as it is shown. */
export const placeSchema = z.extend(referenceSchema, {
  /** The page of that line in a repository on GitHub, GitLab or Gitea. */
  url: z.nullable(z.string()),
});

export const codeReferencesSchema = z.object({
  /** The flag, or what is not a flag. */
  slug: z.string(),
  branch: z.string(),
  projectName: z.string(),
  repositoryUrl: z.nullable(z.string()),
  /** The commit that was read; null where the upload did not name it. */
  commit: z.nullable(z.string()),
  uploadedAt: timestamp,
  references: z.array(placeSchema),
});
