import { inboxPath } from "../paths.ts";
import { isoTime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { SUBMISSION_ID } from "../../../base/ids.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { SEARCH_LIMITS } from "../../../forms/limits.ts";
import { readFilter } from "../../../forms/inbox/filters.ts";
import { type SubmissionFilter, searchOf } from "../../../forms/inbox/submission-filter.ts";
import { SUBMISSION_STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import { type Fields, textOf } from "../fields.ts";
import { chosenIn } from "../forms/form-words.ts";
import type { Options } from "../parts/commands.tsx";

/** Query of an inbox page, as in its URL. */
export type InboxQuery = {
  /** The short name of a form; null for all forms. */
  form: string | null;
  folder: SubmissionState;
  /** Words that are searched for; empty for none. */
  q: string;
  /** Dates, or times with a zone, as they were typed; empty for none. */
  since: string;
  until: string;
  unread: boolean;
  /** A flag and the variant that the sender got, as in `hero=b`; empty for none. */
  flag: string;
  /** Whether one form is shown as a table. */
  isTable: boolean;
  /** The id that the page begins after; null for the newest. */
  before: string | null;
};

type Parameters = (name: string) => string | undefined;

/** Reads the query of an address. Throws `invalid` for a folder or an id that cannot be. */
export function readQuery(get: Parameters, form: string | null): InboxQuery {
  const before = get("before") || null;
  if (before !== null && !SUBMISSION_ID.test(before))
    throw new AppError("invalid", "before is the id of a submission");
  return {
    form,
    folder: folderIn(get("folder") ?? "inbox"),
    q: (get("q") ?? "").trim(),
    since: (get("since") ?? "").trim(),
    until: (get("until") ?? "").trim(),
    unread: isOn(get("unread")),
    flag: (get("flag") ?? "").trim(),
    isTable: get("view") === "table",
    before,
  };
}

/** The folder of that name. Throws `invalid`. */
export function folderIn(name: string): SubmissionState {
  const folder = SUBMISSION_STATES.find((each) => each === name);
  if (!folder) throw new AppError("invalid", "a folder is inbox, spam or archived");
  return folder;
}

export function isOn(value: string | undefined): boolean {
  return value === "1" || value === "on" || value === "true";
}

/** The path of a list behind the dashboard's: `/inbox/contact`. */
export function pathOf({ form }: Pick<InboxQuery, "form">): string {
  return form === null ? "/inbox" : inboxPath(form);
}

/** The query of the address that {@link readQuery} reads; the inbox itself needs none. */
export function parametersOf(query: InboxQuery): Record<string, string | null> {
  const { folder, q, since, until, unread, flag, isTable, before } = query;
  return {
    folder: folder === "inbox" ? null : folder,
    q,
    since,
    until,
    unread: unread ? "1" : null,
    flag,
    view: isTable ? "table" : null,
    before,
  };
}

/** The address of a list behind the dashboard's path. */
export function addressIn(query: InboxQuery): string {
  const given = Object.entries(parametersOf(query)).filter(([, value]) => value);
  const text = new URLSearchParams(given as [string, string][]).toString();
  return `${pathOf(query)}${text === "" ? "" : `?${text}`}`;
}

/** Hidden fields from which {@link queryIn} restores the list that a form was on. */
export function valuesOf(query: InboxQuery): Record<string, string | null> {
  return { ...parametersOf(query), form: query.form };
}

/** The list that a form was on. Throws `invalid`. */
export function queryIn(fields: Fields): InboxQuery {
  return readQuery((name) => textOf(fields, name) || undefined, textOf(fields, "form") || null);
}

/** Whether a list shows less than its folder. */
export function isFiltered({ q, since, until, unread, flag }: InboxQuery): boolean {
  return q !== "" || since !== "" || until !== "" || unread || flag !== "";
}

/**
 * The filter of a query; days begin at midnight in the time zone. Throws `invalid` for a time or a search that means
 * nothing, with the name of the field as its reason.
 */
export function filterOf(
  { folder, q, since, until, unread, flag }: Omit<InboxQuery, "form" | "before" | "isTable">,
  timeZone: string,
  who: string,
): SubmissionFilter {
  if (flag !== "" && !flag.includes("="))
    throw new AppError("invalid", "write a flag and a variant, as in hero=b", { reason: "flag" });
  return readFilter(
    {
      state: folder,
      search: searchIn(q, who),
      since: since || undefined,
      until: until || undefined,
      unread: unread ? "true" : undefined,
      flag: flag === "" ? undefined : [flag],
    },
    who,
    (text, field) => timeIn(text, field, timeZone),
  );
}

/** The selection of a query, as the admin API takes it. Throws `invalid` for a time that means nothing. */
export function selectionOf({ form, folder, q, since, until, unread, flag }: InboxQuery, timeZone: string) {
  const chosen = chosenIn(form);
  const time = (text: string, field: "since" | "until") => {
    const at = timeIn(text, field, timeZone);
    return at === undefined ? undefined : isoTime(at);
  };
  return {
    form: chosen.form ?? undefined,
    project: chosen.project ?? undefined,
    state: folder,
    search: q || undefined,
    since: time(since, "since"),
    until: time(until, "until"),
    unread: unread || undefined,
    flag: flag === "" ? undefined : [flag],
  };
}

/** Text of the search box; undefined if it is empty. Throws `invalid`. */
function searchIn(q: string, who: string): string | undefined {
  if (q === "") return undefined;
  const { characters } = SEARCH_LIMITS;
  if (q.length > characters)
    throw new AppError("invalid", `a search has at most ${characters} characters`, { reason: "q" });
  try {
    searchOf(readFilter({ search: q }, who));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("invalid", `${error.message}: it finds letters and digits`, { reason: "q" });
  }
  return q;
}

/** A day, or a time with a zone, in milliseconds since 1970; undefined for an empty text. Throws `invalid`. */
export function timeIn(text: string, field: "since" | "until", timeZone: string): number | undefined {
  if (text === "") return undefined;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = isDay ? (parseWallTime(`${text}T00:00`, timeZone) ?? undefined) : zonedTime(text);
  if (time === undefined || Number.isNaN(time))
    throw new AppError("invalid", "a day looks like 2027-01-31", { reason: field });
  return time;
}

function zonedTime(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : undefined;
}

/** The options of a command that lists, exports or marks the same submissions. */
export function commandOptions({
  states,
  search,
  since,
  until,
  unread,
  flags,
  labels,
  assignee,
}: SubmissionFilter): Options {
  const time = (at: number | undefined) => at !== undefined && new Date(at).toISOString();
  const [folder = "inbox"] = states;
  return {
    [folder]: folder !== "inbox",
    search,
    since: time(since),
    until: time(until),
    unread: unread === true,
    flag: flags?.map(({ name, value }) => `${name}=${value}`).join(),
    label: labels?.join(),
    assignee,
  };
}
