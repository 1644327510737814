import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import { MAX_PAGE_BYTES, type PageQuery, nextOf } from "../base/pages.ts";
import { tagsOf } from "./flag-fields.ts";
import { type FlagHead, type FlagRecord, isOn } from "./flag.ts";
import type { FlagsApp } from "./store.ts";

/** A flag in one environment. */
type Setting = Pick<FlagRecord, "enabled" | "expiresAt" | "updatedAt">;

type Filter = {
  /** The kind of its value: a `time` is ISO 8601, a `switch` is `true` or `false`. */
  kind: "choice" | "text" | "switch" | "time";
  choices?: readonly string[];
  /** The option of `flags list`, with its help. */
  option?: readonly [flags: string, help: string];
  /** Its name on the page of a list. */
  label?: string;
  /** Whether what all environments share of a flag has the value. */
  accepts?: (flag: FlagHead, value: never) => boolean;
  /** Whether the flag has the value in one of some environments. */
  shows?: (settings: readonly Setting[], value: never, now: number) => boolean;
};

/** The filters of flags by their names; the admin API, commands and pages are made from these. */
export const FLAG_FILTERS = {
  state: {
    kind: "choice",
    choices: ["on", "off", "archived"],
    option: ["state <state>", "only flags in this state"],
    label: "State",
    accepts: ({ archived }: FlagHead, state: string) => archived === (state === "archived"),
    shows: (settings: readonly Setting[], state: string, now: number) =>
      state === "archived" || settings.some((each) => isOn(each, now)) === (state === "on"),
  },
  tag: {
    kind: "text",
    option: ["tag <tag>", "only flags with this tag"],
    label: "Tag",
    accepts: ({ tags }: FlagHead, tag: string) => tagsOf(tags).includes(tag),
  },
  owner: {
    kind: "text",
    option: ["owner <name>", "only flags of this owner"],
    label: "Owner",
    accepts: ({ owner }: FlagHead, name: string) => owner === name,
  },
  stale: {
    kind: "switch",
    option: ["stale", "only flags that look finished, as flags stale lists them"],
    label: "Ready to remove",
    accepts: ({ slug }: FlagHead, stale: ReadonlySet<string>) => stale.has(slug),
  },
  changed: {
    kind: "time",
    option: ["changed <span>", "only flags that changed within this time, such as 7d"],
    label: "Changed within",
    shows: (settings: readonly Setting[], since: number) =>
      settings.some(({ updatedAt }) => updatedAt >= since),
  },
  mine: {
    kind: "switch",
    label: "Yours",
    accepts: ({ owner }: FlagHead, caller: string) => owner === caller,
  },
  archived: {
    kind: "choice",
    choices: ["true", "false"],
    accepts: ({ archived }: FlagHead, given: string) => String(archived) === given,
  },
  search: {
    kind: "text",
    accepts: ({ slug, description, tags, owner }: FlagHead, text: string) =>
      [slug, description, tags, owner].some((each) => each.toLowerCase().includes(text.toLowerCase())),
  },
} as const satisfies Record<string, Filter>;

export type FlagFilter = Filter;
export type FlagFilterName = keyof typeof FLAG_FILTERS;

export const FLAG_FILTER_NAMES = Object.keys(FLAG_FILTERS) as FlagFilterName[];

/** The values of filters as texts. */
export type FlagQuery = { [Name in FlagFilterName]?: string | undefined };

/** The flags that filters select: by what all environments share, and by what a flag is in some. */
type Selection = {
  accepts: (flag: FlagHead) => boolean;
  shows: ((settings: readonly Setting[]) => boolean) | undefined;
};

/** The selection of a query. Throws `forbidden` where the caller does not see which flags of the project are stale. */
export async function selectFlags(
  app: FlagsApp,
  caller: Caller,
  project: string,
  query: FlagQuery,
): Promise<Selection> {
  const heads: Selection["accepts"][] = [];
  const settings: NonNullable<Selection["shows"]>[] = [];
  for (const name of FLAG_FILTER_NAMES) {
    const { kind, accepts, shows }: Filter = FLAG_FILTERS[name];
    const text = query[name];
    if (text === undefined || (kind === "switch" && text === "false")) continue;
    const value = (await valueOf(app, caller, project, name, text)) as never;
    if (accepts) heads.push((flag) => accepts(flag, value));
    if (shows) settings.push((some) => shows(some, value, app.now()));
  }
  return {
    accepts: (flag) => heads.every((test) => test(flag)),
    shows: settings.length === 0 ? undefined : (some) => settings.every((test) => test(some)),
  };
}

/** The value of a filter, of its text. */
async function valueOf(
  app: FlagsApp,
  caller: Caller,
  project: string,
  name: FlagFilterName,
  text: string,
): Promise<unknown> {
  if (name === "changed") return Date.parse(text);
  if (name === "mine") return caller.name;
  if (name !== "stale") return text;
  // It depends on every environment.
  requireScope(caller, "flags:read", { project });
  const { DEFAULT_STALE_DAYS, assessFlags } = await import("./stale.ts");
  const stale = await assessFlags(app, { project, environment: null, days: DEFAULT_STALE_DAYS });
  return new Set(stale.map(({ slug }) => slug));
}

/** Flags that are read at once. */
const STEP = 250;

/**
 * The flags of an environment that filters select, by slug, and the value of `after` for the next page, null on the last. Throws
 * `not_found`, and as {@link selectFlags}.
 */
export async function pageOfFlags(
  app: FlagsApp,
  caller: Caller,
  { project, environment }: { project: string; environment: string },
  { limit, after, ...query }: FlagQuery & PageQuery,
): Promise<{ items: FlagRecord[]; next: string | null }> {
  const { flags } = app.store;
  if (Object.values(query).every((value) => value === undefined)) {
    const page = await flags.page(project, environment, { limit, after });
    return { items: page.items, next: nextOf(page, ({ slug }) => slug) };
  }
  const { accepts, shows } = await selectFlags(app, caller, project, query);
  const items: FlagRecord[] = [];
  let [last, bytes] = [after, 0];
  for (;;) {
    const page = await flags.page(project, environment, { limit: STEP, after: last });
    for (const flag of page.items) {
      if (!accepts(flag) || (shows && !shows([flag]))) continue;
      if (items.length === limit) return { items, next: items.at(-1)!.slug };
      items.push(flag);
      bytes += (flag.payload?.length ?? 0) + (flag.rules?.length ?? 0);
    }
    last = page.items.at(-1)?.slug;
    if (!page.more) return { items, next: null };
    if (bytes > MAX_PAGE_BYTES) return { items, next: last! };
    await yieldToEventLoop();
  }
}
