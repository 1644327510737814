import { AppError } from "../../base/errors.ts";
import { NOT_SPAM, SUBMISSION_STATES, type SubmissionState } from "../submission-state.ts";
import type { FieldMatch, SubmissionFilter } from "./submission-filter.ts";

/** A filter of submissions: what it compares with, and the option of commands with its help. */
type Filter = {
  kind: "text" | "fields" | "flags" | "labels" | "time" | "switch";
  option: string;
  help: string;
};

/** The filters of submissions by their names; commands and the admin API are made from these. */
export const FILTERS = {
  search: {
    kind: "text",
    option: "search <text>",
    help: "only submissions with all these words in values or file names; the last may be incomplete",
  },
  field: {
    kind: "fields",
    option: "where <field=text>",
    help: "only submissions whose field equals the text, regardless of case; repeatable",
  },
  flag: {
    kind: "flags",
    option: "flag <flag=variant>",
    help: "only submissions whose sender saw this variant of the flag; repeatable",
  },
  since: {
    kind: "time",
    option: "since <time>",
    help: "only submissions from this time on, such as 2027-01-31, or 7d before now",
  },
  until: { kind: "time", option: "until <time>", help: "only submissions before this time" },
  unread: { kind: "switch", option: "unread", help: "only unread ones" },
  label: { kind: "labels", option: "label <label>", help: "only submissions with this label; repeatable" },
  assignee: {
    kind: "text",
    option: "assignee <user>",
    help: "only submissions assigned to this user; me for your own",
  },
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
  label?: string[] | undefined;
  /** The name of a user, or {@link ME}. */
  assignee?: string | undefined;
};

/** The assignee that stands for the caller. */
export const ME = "me";

/**
 * The filter that a query of a caller describes, whose name is `who`. `timeOf` reads a time: where it is, whatever it throws.
 */
export function readFilter(
  { state, search, field, flag, since, until, unread, label = [], assignee }: FilterQuery,
  who: string,
  timeOf: (text: string, name: "since" | "until") => number | undefined = Date.parse,
): SubmissionFilter {
  const { words, labels, isMine } = readSearch(search);
  const user = assignee ?? (isMine ? ME : undefined);
  const all = [...label, ...labels];
  return {
    states: statesOf(state),
    search: words,
    fields: field?.map((text) => readMatch(text, FIELD_FAULT)),
    flags: flag?.map((text) => readMatch(text, FLAG_FAULT)),
    since: since === undefined ? undefined : timeOf(since, "since"),
    until: until === undefined ? undefined : timeOf(until, "until"),
    unread: unread === "true",
    ...(all.length > 0 && { labels: all }),
    ...(user !== undefined && { assignee: user === ME ? who : user }),
  };
}

/** The parts of a search that are no words: `label:urgent`, `label:"needs an answer"` and `is:mine`. */
const QUALIFIER = /(?<!\S)(?:label:(?:"(?<quoted>[^"]+)"|(?<plain>[^\s"]+))|(?<mine>is:mine))(?!\S)/giu;

/** The parts of a search; `words` is undefined where it searches for none. */
function readSearch(search: string | undefined) {
  const labels: string[] = [];
  let isMine = false;
  const words = search?.replaceAll(QUALIFIER, (...matched) => {
    const { quoted, plain, mine } = matched.at(-1) as Record<string, string | undefined>;
    if (mine !== undefined) isMine = true;
    else labels.push((quoted ?? plain)!);
    return " ";
  });
  const hasOther = labels.length > 0 || isMine;
  return { words: hasOther && words!.trim() === "" ? undefined : words, labels, isMine };
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
