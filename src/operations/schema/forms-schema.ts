import * as z from "zod/mini";
import { formPatchSchema, formViewSchema, newFormSchema } from "../../forms/form-schema.ts";
import { formStatsSchema } from "../../forms/form-stats-schema.ts";
import { DEFAULT_FORM_DAYS } from "../../forms/limits.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { MAX_STATS_DAYS } from "../../maintenance/limits.ts";
import {
  createdResult,
  formQuery,
  limitOf,
  listQuery,
  nextSchema,
  updatedResult,
  warnings,
} from "./shared-schema.ts";

const warnedFormSchema = z.extend(formViewSchema, warnings);

/** The form after a change that may have added checks. */
const changedFormSchema = z.extend(warnedFormSchema, {
  /** The secrets of checks that are new, which sign what these get; they are not shown again. Absent without any. */
  checkSecrets: z.optional(z.array(z.object({ check: z.string(), secret: z.string() }))),
});

export const list = {
  query: z.extend(listQuery, formQuery.shape),
  output: z.object({ forms: z.array(formViewSchema), next: nextSchema }),
};

export const create = { body: newFormSchema, output: z.extend(changedFormSchema, createdResult) };

/** Its settings and fields are those of the form; without a project, it is in the same one. */
const copiedSchema = z.pick(newFormSchema, { slug: true, name: true, project: true });

export const copy = {
  query: formQuery,
  body: copiedSchema,
  output: z.extend(changedFormSchema, createdResult),
};

/** Examples of the project's filter, for a form that learns; it decides from `least` of each kind. */
const learned = z.object({ spam: z.int(), good: z.int(), least: z.int() });

export const get = {
  query: formQuery,
  output: z.extend(warnedFormSchema, { learned: z.optional(learned) }),
};

export const stats = {
  query: z.extend(formQuery, { days: limitOf(MAX_STATS_DAYS, DEFAULT_FORM_DAYS) }),
  output: formStatsSchema,
};

export const set = {
  query: formQuery,
  body: formPatchSchema,
  output: z.extend(changedFormSchema, updatedResult),
};

export const test = { query: formQuery, output: z.extend(submissionSchema, warnings) };

const deletion = { query: formQuery };

export { deletion as delete };
