import * as z from "zod/mini";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { idOf, momentOf } from "../../base/slug-schema.ts";
import { CSV_DELIMITERS, EXPORT_FORMATS } from "../../forms/transfer/export-format.ts";
import { FILTERS, FILTER_NAMES, type FilterName } from "../../forms/inbox/filters.ts";
import { SEARCH_LIMITS } from "../../forms/limits.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { limitOf } from "./shared-schema.ts";

/** A folder, or `all` of them. */
export const submissionState = z.enum(
  [...SUBMISSION_STATES, "all"],
  `state is ${SUBMISSION_STATES.join(", ")} or all`,
);

const { characters, fields } = SEARCH_LIMITS;
const shortText = (name: string) =>
  z.string().check(z.maxLength(characters, `${name} has at most ${characters} characters`));
const match = (name: "field" | "flag") => shortText(name).check(z.regex(/=/, FILTERS[name].fault));
const label = (name: string) => shortText(name).check(z.regex(/\S/, `${name} is empty`));

/** One text, or several. */
const severalOf = (text: z.ZodMiniType<string, string>, name: string) =>
  z.optional(
    z.pipe(
      z.transform((value: unknown) => (typeof value === "string" ? [value] : value)),
      z.array(text).check(z.maxLength(fields, `${name} is given at most ${fields} times`)),
    ),
  );
const listOf = (text: z.ZodMiniType<string, string>, name: string) =>
  z.optional(z.array(text).check(z.maxLength(fields, `${name} has at most ${fields} entries`)));

/** The schemas of filters by their kinds, in a query and in a body. */
const IN_QUERY = {
  text: (name: string) => z.optional(shortText(name)),
  matches: (name: "field" | "flag") => severalOf(match(name), name),
  labels: (name: string) => severalOf(label(name), name),
  time: (name: string) => z.optional(momentOf(name)),
  switch: (name: string) => z.optional(z.enum(["true", "false"], `${name} is true or false`)),
};
const IN_BODY = {
  ...IN_QUERY,
  matches: (name: "field" | "flag") => listOf(match(name), name),
  labels: (name: string) => listOf(label(name), name),
  switch: () => z.optional(z.boolean()),
};

type Kinds = Record<keyof typeof IN_QUERY, (name: never) => z.ZodMiniType>;

function schemasOf<K extends Kinds>(kinds: K) {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, kinds[FILTERS[name].kind](name as never)])) as {
    [Name in FilterName]: ReturnType<K[(typeof FILTERS)[Name]["kind"]]>;
  };
}

/** The filters of a list and of an export; a submission has to fulfil all of them. */
const filters = schemasOf(IN_QUERY);

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
  ...schemasOf(IN_BODY),
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
  /** Whether CSV begins with a byte order mark. */
  bom: z.optional(z.enum(["true", "false"], "bom is true or false")),
  /** Default: a comma. */
  delimiter: z.optional(z.enum(CSV_DELIMITERS, "delimiter is a comma, a semicolon or a tab")),
  /** Inbox and archive if it is absent. */
  state: z.optional(submissionState),
  ...filters,
});
