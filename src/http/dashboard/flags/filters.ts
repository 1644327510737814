import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { isoTime } from "../../../base/clock.ts";
import { own } from "../../../base/shapes/own.ts";
import { FLAG_FILTERS, type FlagFilter, type FlagQuery, selectFlags } from "../../../flags/flag-filters.ts";
import type { LaneFlag } from "./lanes.ts";

/** The filters of a list that all faces have. */
const NAMES = ["state", "tag", "owner", "changed", "stale", "mine"] as const;

/** The parameters that choose the flags of a list, with those of the page alone; an empty one does not. */
export type Filter = Record<(typeof NAMES)[number] | "differs" | "unread", string>;

/** Spans of time, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The filter of a page; values that are none are left out. */
export function filterIn(query: (name: string) => string): Filter {
  const given = NAMES.map((name) => {
    const text = query(name).trim().slice(0, 100);
    return [name, isValue(FLAG_FILTERS[name], text) ? text : ""];
  });
  const own = (["differs", "unread"] as const).map((name) => [name, query(name) === "1" ? "1" : ""]);
  return Object.fromEntries([...given, ...own]) as Filter;
}

function isValue({ kind, choices = [] }: FlagFilter, text: string): boolean {
  if (kind === "choice") return choices.includes(text);
  return kind === "text" || (kind === "switch" ? text === "1" : /^\d{1,4}[hdw]$/.test(text));
}

/** The flags that a filter and a search choose: archived ones only if they are asked for. */
export async function chosenFlags(
  app: App,
  caller: Caller,
  project: string,
  flags: readonly LaneFlag[],
  { search, filter }: { search: string; filter: Filter },
): Promise<LaneFlag[]> {
  const since = (span: string) => app.now() - Number.parseInt(span, 10) * own(UNITS, span.at(-1)!)!;
  const given = NAMES.filter((name) => filter[name] !== "").map((name) => {
    const { kind }: FlagFilter = FLAG_FILTERS[name];
    const text = filter[name];
    return [name, kind === "switch" ? "true" : kind === "time" ? isoTime(since(text)) : text];
  });
  const archived = filter.state === "" ? { archived: "false" } : {};
  const query: FlagQuery = { ...Object.fromEntries(given), ...archived, ...(search !== "" && { search }) };
  const { accepts, shows } = await selectFlags(app, caller, project, query);
  return flags.filter(
    (flag) =>
      accepts(flag) &&
      (shows?.(flag.environments) ?? true) &&
      (filter.differs === "" || flag.differs) &&
      (filter.unread === "" || flag.isUnread),
  );
}
