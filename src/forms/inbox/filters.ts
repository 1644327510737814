import { AppError } from "../../base/errors.ts";
import type { Submission } from "../submission.ts";
import { NOT_SPAM, SUBMISSION_STATES, type SubmissionState } from "../submission-state.ts";
import { labelAmong } from "./handling.ts";

/** A top-level field and the text that it, or a value of its array, has to equal, without regard to case. */
export type FieldMatch = { name: string; value: string };

/** Filter of submissions: all parts must match. Times are milliseconds since 1970. */
export type SubmissionFilter = {
  states: readonly SubmissionState[];
  unread?: boolean | undefined;
  /** From this time on. */
  since?: number | undefined;
  /** Before this time. */
  until?: number | undefined;
  fields?: readonly FieldMatch[] | undefined;
  /** Flags with the variants that its sender got. */
  flags?: readonly FieldMatch[] | undefined;
  /** Labels, without regard to case. */
  labels?: readonly string[] | undefined;
  /** The user who looks after it. */
  assignee?: string | undefined;
  /** Words that are all in its values or file names; the last may be incomplete. */
  search?: string | undefined;
};

/** The part of a filter by which the database selects; null for every submission. */
export type StoredFilter = {
  states: readonly SubmissionState[];
  /** Only unread ones. */
  unread: boolean;
  since: number | null;
  until: number | null;
  assignee?: string | null;
  /** Only those with labels. */
  isLabeled?: boolean;
};

export function storedFilter(filter: SubmissionFilter): StoredFilter {
  const { states, unread = false, since = null, until = null, labels = [], assignee = null } = filter;
  return { states, unread, since, until, assignee, isLabeled: labels.length > 0 };
}

/** A submission without its data. */
type Row = Omit<Submission, "data">;

/** The parameter of a filter in the address of a page, its name there, and what it selects, for a switch. */
export type PagePart = { parameter: string; label: string; placeholder?: string; fact?: string };

/** A filter of submissions. */
type Filter = {
  /** The kind of its values: `matches` are of a name with a text. */
  kind: "text" | "matches" | "labels" | "time" | "switch";
  /** Its member of a {@link SubmissionFilter}. */
  member: Exclude<keyof SubmissionFilter, "states">;
  /** The option of commands, with its help. */
  option: string;
  help: string;
  /** Error of a match without a text. */
  fault?: string;
  page?: PagePart;
  /** Its description as an argument of assistants. */
  argument?: string;
  /** Whether a submission has a value of it, without its data. */
  accepts?: (submission: Row, value: never) => boolean;
  /** Whether it is a whole part of {@link StoredFilter}. */
  isStored?: true;
};

/** The filters of submissions by their names; the admin API, commands, pages and tools of assistants are made from these. */
export const FILTERS = {
  search: {
    kind: "text",
    member: "search",
    option: "search <text>",
    help: "only submissions with all these words in values or file names; the last may be incomplete",
    page: { parameter: "q", label: "Search", placeholder: "Words, names, addresses" },
    argument: "Words that all have to be in the values of a submission.",
  },
  field: {
    kind: "matches",
    member: "fields",
    option: "where <field=text>",
    help: "only submissions whose field equals the text, regardless of case; repeatable",
    fault: "field is a name and a text, as in field=email=a@b.c",
  },
  flag: {
    kind: "matches",
    member: "flags",
    option: "flag <flag=variant>",
    help: "only submissions whose sender saw this variant of the flag; repeatable",
    fault: "flag is a flag and a variant, as in flag=hero=b",
    page: { parameter: "flag", label: "Flag", placeholder: "hero=b" },
    accepts: ({ flags }: Row, { name, value }: FieldMatch) =>
      flags !== null && Object.hasOwn(flags.variants, name) && flags.variants[name] === value,
  },
  since: {
    kind: "time",
    member: "since",
    option: "since <time>",
    help: "only submissions from this time on, such as 2027-01-31, or 7d before now",
    page: { parameter: "since", label: "From" },
    argument: "Only from this time on: ISO 8601 with zone, such as 2027-01-31T00:00:00Z.",
    accepts: ({ createdAt }: Row, at: number) => Date.parse(createdAt) >= at,
    isStored: true,
  },
  until: {
    kind: "time",
    member: "until",
    option: "until <time>",
    help: "only submissions before this time",
    page: { parameter: "until", label: "Before" },
    argument: "Only before this time: ISO 8601 with zone.",
    accepts: ({ createdAt }: Row, at: number) => Date.parse(createdAt) < at,
    isStored: true,
  },
  unread: {
    kind: "switch",
    member: "unread",
    option: "unread",
    help: "only unread ones",
    page: { parameter: "unread", label: "Unread only", fact: "unread ones" },
    argument: "true: only unread ones.",
    accepts: ({ read }: Row) => !read,
    isStored: true,
  },
  label: {
    kind: "labels",
    member: "labels",
    option: "label <label>",
    help: "only submissions with this label; repeatable",
    accepts: ({ labels }: Row, label: string) => labelAmong(labels, label) !== undefined,
  },
  assignee: {
    kind: "text",
    member: "assignee",
    option: "assignee <user>",
    help: "only submissions assigned to this user; me for your own",
    accepts: ({ assignee }: Row, user: string) => assignee === user,
    isStored: true,
  },
} as const satisfies Record<string, Filter>;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** The values of a filter, of which a submission needs each: one, unless it is a list; none if it is not given. */
function valuesOf(filter: SubmissionFilter, name: FilterName): unknown[] {
  const value = filter[FILTERS[name].member];
  return value === undefined || value === false ? [] : [value].flat();
}

/** Whether a filter selects by more than the folder. */
export function isSelective(filter: SubmissionFilter): boolean {
  return FILTER_NAMES.some((name) => valuesOf(filter, name).length > 0);
}

/**
 * The tests that a submission has to pass, whose data is not needed for them; with `isScanned`, after the database has
 * selected it.
 */
export function testsOf(filter: SubmissionFilter, isScanned: boolean): ((submission: Row) => boolean)[] {
  return FILTER_NAMES.flatMap((name) => {
    const { accepts, isStored }: Filter = FILTERS[name];
    if (!accepts || (isScanned && isStored)) return [];
    return valuesOf(filter, name).map((value) => (submission: Row) => accepts(submission, value as never));
  });
}

type Query<Kind> = Kind extends "matches" | "labels"
  ? string[]
  : Kind extends "switch"
    ? "true" | "false"
    : string;

/** A folder, inbox and archive if it is absent, and the values of filters as texts. */
export type FilterQuery = { state?: SubmissionState | "all" | undefined } & {
  [Name in FilterName]?: Query<(typeof FILTERS)[Name]["kind"]> | undefined;
};

/** The assignee that stands for the caller. */
export const ME = "me";

/** The filter that a query of a caller describes, whose name is `who`. Throws `invalid` for a match without a text. */
export function readFilter({ state, ...query }: FilterQuery, who: string): SubmissionFilter {
  const { words, labels, isMine } = readSearch(query.search);
  const user = query.assignee ?? (isMine ? ME : undefined);
  const texts: Omit<FilterQuery, "state"> = {
    ...query,
    search: words,
    label: [...(query.label ?? []), ...labels],
    assignee: user === ME ? who : user,
  };
  const filter: Record<string, unknown> & Pick<SubmissionFilter, "states"> = { states: statesOf(state) };
  for (const name of FILTER_NAMES) {
    const { kind, member, fault }: Filter = FILTERS[name];
    const text = texts[name];
    if (text === undefined) continue;
    if (kind === "matches") filter[member] = (text as string[]).map((each) => readMatch(each, fault!));
    else if (kind === "time") filter[member] = Date.parse(text as string);
    else filter[member] = kind === "switch" ? text === "true" : text;
  }
  return filter;
}

/** The parts of a search that are no words: `label:urgent`, `label:"needs an answer"` and `is:mine`. */
const QUALIFIER = /(?<!\S)(?:label:(?:"(?<quoted>[^"]+)"|(?<plain>[^\s"]+))|(?<mine>is:mine))(?!\S)/giu;

/** The parts of a search; `words` is undefined where it searches for none. */
export function readSearch(search: string | undefined) {
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

function readMatch(text: string, fault: string): FieldMatch {
  const at = text.indexOf("=");
  if (at === -1) throw new AppError("invalid", fault);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
