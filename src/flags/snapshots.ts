import { type Watch, createCache } from "../base/changes.ts";
import type { FlagSelection, FlagsApp } from "./store.ts";

/** Returns the snapshot of the environment that two keys select, at once where it is current; undefined where they select none. */
export type FindSnapshot<T> = (
  projectKey: string,
  environmentKey: string,
) => T | undefined | Promise<T | undefined>;

/**
 * Keeps a snapshot of the flags of each environment in memory, and renders it again only after those flags changed.
 * Between two checks for changes, a snapshot is returned without a promise. While the database does not answer, a snapshot
 * is the one rendered last; the function returned throws `unavailable` where that is none.
 */
export function createSnapshots<T>(
  watch: Watch,
  store: FlagsApp["store"],
  render: (selection: FlagSelection, before: T | undefined) => Promise<T>,
): FindSnapshot<T> {
  type Entry = { revision: number; snapshot: T };
  const find = createCache<Entry>(watch, async (keys, before) => {
    // A key that exists has no space.
    const space = keys.indexOf(" ");
    const selection = await store.flags.select(keys.slice(0, space), keys.slice(space + 1));
    if (!selection) return undefined;
    const { revision } = selection;
    if (before?.revision === revision) return before;
    return { revision, snapshot: await render(selection, before?.snapshot) };
  });
  /** The keys of environments that were found, joined once: a text that is made for each read is hashed for each. */
  const joined = new Map<string, { projectKey: string; keys: string }>();
  const load = async (
    projectKey: string,
    environmentKey: string,
    keys: string,
    entry: Promise<Entry | undefined>,
  ): Promise<T | undefined> => {
    const loaded = await entry;
    if (loaded) joined.set(environmentKey, { projectKey, keys });
    return loaded?.snapshot;
  };
  return (projectKey, environmentKey) => {
    const known = joined.get(environmentKey);
    const keys = known?.projectKey === projectKey ? known.keys : `${projectKey} ${environmentKey}`;
    const entry = find(keys);
    return entry instanceof Promise ? load(projectKey, environmentKey, keys, entry) : entry?.snapshot;
  };
}
