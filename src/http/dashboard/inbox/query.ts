import { inboxPath } from "../paths.ts";
import { isoTime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { SUBMISSION_ID } from "../../../base/ids.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { SEARCH_LIMITS } from "../../../forms/limits.ts";
import {
  FILTERS,
  FILTER_NAMES,
  type FilterName,
  type FilterQuery,
  type PagePart,
  type SubmissionFilter,
  readFilter,
} from "../../../forms/inbox/filters.ts";
import { searchOf } from "../../../forms/inbox/submission-filter.ts";
import { SUBMISSION_STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import { type Fields, textOf } from "../fields.ts";
import { chosenIn } from "../forms/form-words.ts";
import type { Options } from "../parts/commands.tsx";

/** The filters that a list offers, in the order of its page, with their parameters in its address. */
export const PAGE_FILTERS = (["search", "since", "until", "flag", "unread"] as const).map((name) => {
  const { kind, member, page } = FILTERS[name];
  const { placeholder, fact }: PagePart = page;
  return { name, kind, member, parameter: page.parameter, label: page.label, placeholder, fact };
});

type PageFilter = (typeof PAGE_FILTERS)[number];

/** The filters of a list as they were typed: dates, or times with a zone, a flag as in `hero=b`, `1` for a switch; empty for none. */
type PageFilters = Record<PageFilter["parameter"], string>;

/** Query of an inbox page, as in its URL. */
export type InboxQuery = PageFilters & {
  /** The short name of a form; null for all forms. */
  form: string | null;
  folder: SubmissionState;
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
    ...readFilters(({ parameter }) => get(parameter)),
    isTable: get("view") === "table",
    before,
  };
}

/** The filters of a list whose texts a function returns. */
export function readFilters(get: (filter: PageFilter) => string | undefined): PageFilters {
  const filters = PAGE_FILTERS.map((filter) => {
    const text = (get(filter) ?? "").trim();
    return [filter.parameter, filter.kind !== "switch" ? text : isOn(text) ? "1" : ""];
  });
  return Object.fromEntries(filters) as PageFilters;
}

/** The folder of that name. Throws `invalid`. */
function folderIn(name: string): SubmissionState {
  const folder = SUBMISSION_STATES.find((each) => each === name);
  if (!folder) throw new AppError("invalid", `a folder is one of ${SUBMISSION_STATES.join(", ")}`);
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
  const { form: _, folder, isTable, before, ...filters } = query;
  return {
    folder: folder === "inbox" ? null : folder,
    ...filters,
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
export function isFiltered(query: PageFilters): boolean {
  return PAGE_FILTERS.some(({ parameter }) => query[parameter] !== "");
}

/**
 * The filter of a query; days begin at midnight in the time zone. Throws `invalid` for a time or a search that means
 * nothing, with the name of the field as its reason.
 */
export function filterOf(
  { folder, ...filters }: Pick<InboxQuery, "folder"> & PageFilters,
  timeZone: string,
  who: string,
): SubmissionFilter {
  const fault = (reason: string, message: string) => new AppError("invalid", message, { reason });
  const { q, flag } = filters;
  const { characters } = SEARCH_LIMITS;
  if (flag !== "" && !flag.includes("=")) throw fault("flag", "write a flag and a variant, as in hero=b");
  if (q.length > characters) throw fault("q", `a search has at most ${characters} characters`);
  const { unread, ...given } = filtersOf(filters, timeZone);
  const filter = readFilter({ ...(given as FilterQuery), state: folder, unread: unread && "true" }, who);
  try {
    searchOf(filter);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw fault("q", `${error.message}: it finds letters and digits`);
  }
  return filter;
}

/** The selection of a query, as the admin API takes it. Throws `invalid` for a time that means nothing. */
export function selectionOf({ form, folder, ...filters }: InboxQuery, timeZone: string) {
  const { form: name, project } = chosenIn(form);
  const place = { form: name ?? undefined, project: project ?? undefined };
  return { ...place, state: folder, ...filtersOf(filters, timeZone) };
}

type GivenFilters = { unread?: true } & Partial<Record<Exclude<FilterName, "unread">, string | string[]>>;

/** The same of filters alone. */
export function filtersOf(filters: PageFilters, timeZone: string): GivenFilters {
  const given = PAGE_FILTERS.map(({ name, kind, parameter }) => {
    const text = filters[parameter];
    if (text === "") return [name, undefined];
    if (kind === "time") return [name, isoTime(timeIn(text, name as "since" | "until", timeZone)!)];
    return [name, kind === "switch" ? true : kind === "matches" ? [text] : text];
  });
  return Object.fromEntries(given) as GivenFilters;
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
export function commandOptions(filter: SubmissionFilter): Options {
  const [folder = "inbox"] = filter.states;
  const given = FILTER_NAMES.map((name) => {
    const { option, member } = FILTERS[name];
    return [option.replace(/ .*/, ""), optionValue(filter[member])];
  });
  return { [folder]: folder !== "inbox", ...Object.fromEntries(given) };
}

function optionValue(value: SubmissionFilter[keyof SubmissionFilter]): Options[string] {
  if (typeof value === "number") return new Date(value).toISOString();
  if (typeof value !== "object") return value;
  const texts = value.map((each) => (typeof each === "string" ? each : `${each.name}=${each.value}`));
  return texts.join() || undefined;
}
