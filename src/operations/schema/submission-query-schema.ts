import * as z from "zod/mini";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { idOf, momentOf } from "../../base/slug-schema.ts";
import { EXPORT_FORMATS } from "../../forms/transfer/export-format.ts";
import {
  FIELD_FAULT,
  FLAG_FAULT,
  FILTERS,
  FILTER_NAMES,
  type FilterName,
} from "../../forms/inbox/filters.ts";
import { SEARCH_LIMITS } from "../../forms/limits.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { limitOf } from "./shared-schema.ts";

/** A folder, or `all` of them. */
export const submissionState = z.enum([...SUBMISSION_STATES, "all"], "state is inbox, spam, archived or all");

const { characters, fields } = SEARCH_LIMITS;
const shortText = (name: string) =>
  z.string().check(z.maxLength(characters, `${name} has at most ${characters} characters`));
const field = shortText("field").check(z.regex(/=/, FIELD_FAULT));
const flag = shortText("flag").check(z.regex(/=/, FLAG_FAULT));
/** One text, or several. */
const severalOf = (text: z.ZodMiniType<string>, name: string) =>
  z.optional(
    z.pipe(
      z.transform((value) => (typeof value === "string" ? [value] : value)),
      z.array(text).check(z.maxLength(fields, `${name} is given at most ${fields} times`)),
    ),
  );

const SCHEMAS = {
  text: (name: string) => z.optional(shortText(name)),
  fields: (name: string) => severalOf(field, name),
  flags: (name: string) => severalOf(flag, name),
  labels: (name: string) => severalOf(shortText(name).check(z.regex(/\S/, "label is empty")), name),
  time: (name: string) => z.optional(momentOf(name)),
  switch: (name: string) => z.optional(z.enum(["true", "false"], `${name} is true or false`)),
};

/** The filters of a list and of an export; a submission has to fulfil all of them. */
const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, SCHEMAS[FILTERS[name].kind](name)])) as {
  [Name in FilterName]: ReturnType<(typeof SCHEMAS)[(typeof FILTERS)[Name]["kind"]]>;
};

export const pageQuery = z.strictObject({
  project: z.optional(z.string()),
  state: z._default(submissionState, "inbox"),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  before: z.optional(idOf("before is the id of a submission")),
  ...filters,
});

/**
 * The query of a list of all forms. `email` lists the submissions that a purge of that address would delete, and
 * excludes other filters.
 */
export const inboxQuery = z
  .strictObject({
    form: z.optional(z.string()),
    project: z.optional(z.string()),
    email: z.optional(shortText("email").check(z.regex(/\S/, "email is empty"))),
    state: z.optional(submissionState),
    limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
    before: z.optional(idOf("before is the id of a submission")),
    ...filters,
  })
  .check(
    z.refine(
      ({ email, project: _project, limit: _limit, before: _before, ...others }) =>
        email === undefined || Object.values(others).every((each) => each === undefined),
      "email goes with project, limit and before alone: it covers every form and folder",
    ),
  );

/** Everything that the filters select, in the body of a request. */
export const selection = {
  /** The slug or key of a form; absent for all forms. */
  form: z.optional(z.string()),
  /** The project of the form, or of all forms that are meant. */
  project: z.optional(z.string()),
  state: z._default(submissionState, "inbox"),
  ...filters,
  field: z.optional(z.array(field).check(z.maxLength(fields, `field has at most ${fields} entries`))),
  flag: z.optional(z.array(flag).check(z.maxLength(fields, `flag has at most ${fields} entries`))),
  label: z.optional(
    z.array(shortText("label")).check(z.maxLength(fields, `label has at most ${fields} entries`)),
  ),
  unread: z.optional(z.boolean()),
  /** The last arrival that is touched, as `upTo` of a dry run has it; 409 once it is deleted. Default: the last one there is. */
  upTo: z.optional(idOf("upTo is the id of a submission")),
  /** Whether the submissions are only counted. */
  dryRun: z.optional(z.boolean()),
};

const selectionSchema = z.strictObject(selection);
export type SelectionBody = z.infer<typeof selectionSchema>;

export const exportQuery = z.strictObject({
  project: z.optional(z.string()),
  format: z._default(z.enum(EXPORT_FORMATS), "jsonl"),
  /** Inbox and archive if it is absent. */
  state: z.optional(submissionState),
  ...filters,
});
