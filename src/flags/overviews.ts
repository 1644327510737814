import { yieldToEventLoop } from "../base/event-loop.ts";
import type { Page } from "../base/pages.ts";
import { type FlagHead, type FlagPlace, type FlagRecord, type FlagStatus, hasExpired } from "./flag.ts";
import type { FlagsApp } from "./store.ts";

/** Flags that are read before other work of the event loop takes its turn. */
const STEP = 1000;

/** States of flags in environments, each with a rule of up to 16 KB, that are read before that. */
const STATUSES = 40;

/** A flag of a project, and what it is in each environment, by the slug of the environment. */
export type FlagOverview = FlagHead & { environments: (FlagStatus & { expired: boolean })[] };

/** Selects flags: by their heads, and by what they are in each environment. */
type Selection = {
  /** A text of the slug or the description, in either case. */
  search?: string | undefined;
  accepts?: ((head: FlagHead) => boolean) | undefined;
  shows?: ((environments: FlagOverview["environments"]) => boolean) | undefined;
};

/** A page of the flags of a project by slug, from behind the slug `after`. Throws `not_found` for the project. */
export async function overviewOfFlags(
  app: FlagsApp,
  project: string,
  { after, limit, shows, ...selection }: Selection & { after?: string | undefined; limit: number },
): Promise<Page<FlagOverview>> {
  const items: FlagOverview[] = [];
  let last = after;
  for (;;) {
    const { items: heads, more } = await searchHeads(app, project, selection, last, limit);
    for (const flag of await withStatuses(app, project, heads)) {
      if (shows && !shows(flag.environments)) continue;
      if (items.length === limit) return { items, more: true };
      items.push(flag);
    }
    if (!more || (items.length === limit && !shows)) return { items, more };
    last = heads.at(-1)?.slug;
  }
}

/** Every flag of a project by slug, read in steps so that readers do not wait. Throws `not_found`. */
export async function everyFlag(app: FlagsApp, project: string): Promise<FlagOverview[]> {
  const all: FlagOverview[] = [];
  for (;;) {
    const { items, more } = await app.store.flags.heads(project, { limit: STEP, after: all.at(-1)?.slug });
    all.push(...(await withStatuses(app, project, items)));
    if (!more) return all;
    await yieldToEventLoop();
  }
}

async function withStatuses(
  app: FlagsApp,
  project: string,
  heads: readonly FlagHead[],
): Promise<FlagOverview[]> {
  const environments = await app.store.environments.list(project);
  const step = Math.max(1, Math.floor(STATUSES / Math.max(1, environments.length)));
  const items: FlagOverview[] = [];
  for (let from = 0; from < heads.length; from += step) {
    if (from > 0) await yieldToEventLoop();
    const some = heads.slice(from, from + step);
    const statuses = await app.store.flags.statuses(
      project,
      some.map(({ slug }) => slug),
    );
    const bySlug = Map.groupBy(statuses, ({ slug }) => slug);
    for (const head of some) {
      const all = bySlug.get(head.slug) ?? [];
      const withExpiry = all.map((status) => ({ ...status, expired: hasExpired(status, app.now()) }));
      items.push({ ...head, environments: withExpiry });
    }
  }
  return items;
}

/** Reads the flags in steps until the page is full or the list ends. */
async function searchHeads(
  { store }: FlagsApp,
  project: string,
  { search = "", accepts }: Selection,
  after: string | undefined,
  limit: number,
): Promise<Page<FlagHead>> {
  const wanted = search.toLowerCase();
  const holds = (text: string) => text.toLowerCase().includes(wanted);
  const takesAll = search === "" && !accepts;
  const found: FlagHead[] = [];
  let last = after;
  for (;;) {
    const page = await store.flags.heads(project, { limit: takesAll ? limit : STEP, after: last });
    for (const head of page.items) {
      if (!holds(head.slug) && !holds(head.description)) continue;
      if (accepts && !accepts(head)) continue;
      if (found.length === limit) return { items: found, more: true };
      found.push(head);
    }
    // If everything matches, the page of the store is the page that is asked for.
    if (!page.more || (takesAll && found.length === limit)) return { items: found, more: page.more };
    last = page.items.at(-1)?.slug;
    await yieldToEventLoop();
  }
}

/** A flag as it is in each environment of its project, by slug; null if it does not exist. Throws `not_found`. */
export async function flagInEveryEnvironment(
  app: FlagsApp,
  project: string,
  flag: string,
): Promise<{ environment: string; record: FlagRecord | null }[]> {
  const found: { environment: string; record: FlagRecord | null }[] = [];
  for (const { slug: environment } of await app.store.environments.list(project)) {
    const place: FlagPlace = { project, environment, flag };
    found.push({ environment, record: (await app.store.flags.find(place)) ?? null });
    if (found.length % 100 === 0) await yieldToEventLoop();
  }
  return found;
}

/** Flags that are read at once, with rules and previews. */
const WHOLE_STEP = 250;

/** Every flag of an environment by slug, read in steps so that readers do not wait. Throws `not_found`. */
export async function listInSteps(
  { store }: FlagsApp,
  project: string,
  environment: string,
): Promise<FlagRecord[]> {
  const all: FlagRecord[] = [];
  for (;;) {
    const { items, more } = await store.flags.page(project, environment, {
      limit: WHOLE_STEP,
      after: all.at(-1)?.slug,
    });
    all.push(...items);
    if (!more) return all;
    await yieldToEventLoop();
  }
}
