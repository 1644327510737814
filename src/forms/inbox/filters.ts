import { AppError } from "../../base/errors.ts";
import { NOT_SPAM, SUBMISSION_STATES, type SubmissionState } from "../submission-state.ts";
import type { FieldMatch, SubmissionFilter } from "./submission-filter.ts";

/** A filter of submissions: what it compares with, and the option of commands with its help. */
type Filter = { kind: "text" | "fields" | "flags" | "time" | "switch"; option: string; help: string };

/** The filters of submissions by their names; commands and the admin API are made from these. */
export const FILTERS = {
  search: {
    kind: "text",
    option: "search <text>",
    help: "only those with all these words in values or file names; the last may be incomplete",
  },
  field: {
    kind: "fields",
    option: "where <field=text>",
    help: "only those whose field equals the text, without regard to case; may be repeated",
  },
  flag: {
    kind: "flags",
    option: "flag <flag=variant>",
    help: "only those whose sender got the variant of the flag; may be repeated",
  },
  since: {
    kind: "time",
    option: "since <time>",
    help: "only those from a time on, such as 7d back from now, or 2027-01-31",
  },
  until: { kind: "time", option: "until <time>", help: "only those before a time" },
  unread: { kind: "switch", option: "unread", help: "only unread ones" },
} as const satisfies Record<string, Filter>;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** A folder, and the values of filters, as texts. */
export type FilterQuery = {
  /** Inbox and archive if it is absent. */
  state?: SubmissionState | "all" | undefined;
  search?: string | undefined;
  field?: string[] | undefined;
  flag?: string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  unread?: "true" | "false" | undefined;
};

/** The filter that a query describes. `timeOf` reads a time: where it is, whatever it throws. */
export function readFilter(
  { state, search, field, flag, since, until, unread }: FilterQuery,
  timeOf: (text: string, name: "since" | "until") => number | undefined = Date.parse,
): SubmissionFilter {
  return {
    states: statesOf(state),
    search,
    fields: field?.map((text) => readMatch(text, FIELD_FAULT)),
    flags: flag?.map((text) => readMatch(text, FLAG_FAULT)),
    since: since === undefined ? undefined : timeOf(since, "since"),
    until: until === undefined ? undefined : timeOf(until, "until"),
    unread: unread === "true",
  };
}

function statesOf(state: FilterQuery["state"]): readonly SubmissionState[] {
  if (state === undefined) return NOT_SPAM;
  return state === "all" ? SUBMISSION_STATES : [state];
}

/** Error of a `field` that names no text. */
export const FIELD_FAULT = "field is a name and a text, as in field=email=a@b.c";

/** Error of a `flag` that names no variant. */
export const FLAG_FAULT = "flag is a flag and a variant, as in flag=hero=b";

function readMatch(text: string, fault: string): FieldMatch {
  const at = text.indexOf("=");
  if (at === -1) throw new AppError("invalid", fault);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
