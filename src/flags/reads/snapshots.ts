import { type Known, type Watch, createCache } from "../../base/changes.ts";
import type { FlagValues } from "../flag.ts";
import type { SharedNeeds } from "../requires/places.ts";
import type { SegmentRecord } from "../segment.ts";
import { type MemberLists, createMemberLists } from "./member-lists.ts";
import type { KeyedSelection, FlagsApp } from "../store.ts";

/** Returns the snapshot of the environment that two keys select, at once if it is current; undefined if they select none. */
export type FindSnapshot<T> = (
  projectKey: string,
  environmentKey: string,
) => T | undefined | Promise<T | undefined>;

/**
 * Keeps a snapshot of the flags of each environment in memory, and renders it again only after those flags changed.
 * Between two checks for changes, it is returned without a promise. While the database does not answer, the last
 * snapshot is returned; the function throws `unavailable` without one.
 */
export function createSnapshots<T>(
  watch: Watch,
  store: FlagsApp["store"],
  render: (selection: KeyedSelection, before: T | undefined, environmentKey: string) => Promise<T>,
): FindSnapshot<T> {
  type Entry = { projectKey: string; revision: number; snapshot: T };
  const load = async (environmentKey: string, before: Entry | undefined): Promise<Entry | undefined> => {
    const selection = await store.flags.select(environmentKey);
    if (!selection) return undefined;
    const { projectKey, revision } = selection;
    const isSame = before?.revision === revision;
    return {
      projectKey,
      revision,
      snapshot: isSame ? before.snapshot : await render(selection, before?.snapshot, environmentKey),
    };
  };
  // By one of the keys: a text joined from both would be made and hashed for each read.
  const find = createCache<Entry>(watch, async (environmentKey, before) => {
    const at = watch.last();
    const entry = await load(environmentKey, before);
    if (entry?.revision === before?.revision || !(await isNewer(at, environmentKey, entry))) return entry;
    // A change that one answer shows is in every later one, whatever else is in memory.
    await watch.current(true);
    return entry;
  });
  /** Whether what was loaded may show a change that the version read before it misses. */
  const isNewer = async (at: Known | undefined, environmentKey: string, entry: Entry | undefined) =>
    at === undefined ||
    entry === undefined ||
    entry.revision > at.version ||
    // Data that was read after the revision may have changed in between.
    (await store.flags.select(environmentKey))?.revision !== entry.revision;
  const snapshotOf = (entry: Entry | undefined, projectKey: string) =>
    entry?.projectKey === projectKey ? entry.snapshot : undefined;
  /** A function of its own: in the one returned, what it captures would cost each read an object more. */
  const later = async (entry: Promise<Entry | undefined>, projectKey: string) =>
    snapshotOf(await entry, projectKey);
  return (projectKey, environmentKey) => {
    const entry = find(environmentKey);
    return entry instanceof Promise ? later(entry, projectKey) : snapshotOf(entry, projectKey);
  };
}

/** The stored data from which readers of an environment are answered. */
export type FlagSource = {
  revision: number;
  /** The metadata of the flag set, a term of flagd, as JSON text of an object. */
  metadata: string;
  /** The slugs of the project and the environment: `shop/production`. */
  place: string;
  /** Newest first by creation, then by slug. */
  records: readonly FlagValues[];
  /** In their order; none if no rule refers to one. */
  segments: readonly SegmentRecord[];
  /** The members of segments that forms fill; null without such a segment. */
  members: MemberLists | null;
  /** Needs of the flags, as far as a reader has asked for them: shared with later sources. */
  needs: SharedNeeds;
};

/** A source with what the services have made of it, by their number, and of the one before it. */
type Viewed = FlagSource & {
  views: unknown[];
  before: unknown[];
  environmentKey: string;
  /** The version of members at which they were read, and a read of later ones under way. */
  membersAt: number;
  refreshing?: Promise<void> | undefined;
};

type Sources = { find: FindSnapshot<Viewed>; services: number };

type SourceApp = Pick<FlagsApp, "watch" | "store">;

/** The same for all services of an app, so that none answers what another one does not know yet, or knows no more. */
const sourcesOf = new WeakMap<SourceApp, Sources>();

/**
 * Keeps views of the flags of each environment for one service, like `createSnapshots`. All services of an app share
 * the snapshots, so flags that one of them has read are in memory for all.
 */
export function createFlagViews<T extends object>(
  app: SourceApp,
  render: (source: FlagSource, before: T | undefined) => Promise<T>,
): FindSnapshot<T> {
  const sources = sourcesOf.get(app) ?? createSources(app);
  sourcesOf.set(app, sources);
  const { find } = sources;
  const service = sources.services;
  sources.services += 1;

  const make = async (source: Viewed): Promise<T> => {
    try {
      const view = await render(source, source.before[service] as T | undefined);
      source.before[service] = undefined;
      return (source.views[service] = view);
    } catch (error) {
      source.views[service] = undefined;
      throw error;
    }
  };
  const viewOf = (source: Viewed | undefined): T | undefined | Promise<T> =>
    source && ((source.views[service] ??= make(source)) as T | Promise<T>);
  const isCurrent = ({ members, membersAt }: Viewed) =>
    members === null || membersAt === app.watch.memberships();
  const later = async (finding: Viewed | undefined | Promise<Viewed | undefined>): Promise<T | undefined> => {
    const source = await finding;
    if (!source || isCurrent(source)) return viewOf(source);
    await refreshMembers(app, source);
    return later(source);
  };
  return (projectKey, environmentKey) => {
    const source = find(projectKey, environmentKey);
    return source instanceof Promise || (source && !isCurrent(source)) ? later(source) : viewOf(source);
  };
}

/** Reads the members of an environment that have changed since, once for all that wait for them. */
function refreshMembers({ watch, store }: SourceApp, source: Viewed): Promise<void> {
  const read = async () => {
    // Read first: a change in between then makes another read necessary instead of being missed.
    const at = watch.memberships();
    const selection = await store.flags.select(source.environmentKey);
    if (selection) await source.members!.load(selection);
    source.membersAt = at;
  };
  return (source.refreshing ??= read().finally(() => (source.refreshing = undefined)));
}

function createSources({ watch, store }: SourceApp): Sources {
  const find = createSnapshots<Viewed>(watch, store, async (selection, before, environmentKey) => {
    const membersAt = watch.memberships();
    const records = await selection.flags();
    const refers = records.some(({ rules }) => rules?.includes("$ref"));
    const segments = refers ? await selection.segments() : [];
    const isFilled = segments.some(({ source }) => source !== undefined);
    const members = isFilled ? (before?.members ?? createMemberLists()) : null;
    await members?.load(selection);
    const { revision, metadata, place } = selection;
    // Views that a service has not read since then still belong to an earlier source.
    const made = Array.from({ length: before ? sources.services : 0 }, (_, service) => {
      const view = before?.views[service];
      return view === undefined || view instanceof Promise ? before?.before[service] : view;
    });
    const needs = before?.needs ?? { graph: undefined };
    const read = { revision, metadata, place, records, segments, members, needs };
    return { ...read, views: [], before: made, environmentKey, membersAt };
  });
  const sources: Sources = { find, services: 0 };
  return sources;
}
