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
  type Entry = { projectKey: string; revision: number; snapshot: T };
  // By one of the keys: a text joined from both would be made and hashed for each read.
  const find = createCache<Entry>(watch, async (environmentKey, before) => {
    const selection = await store.flags.select(environmentKey);
    if (!selection) return undefined;
    const { projectKey, revision } = selection;
    const isSame = before?.revision === revision;
    return {
      projectKey,
      revision,
      snapshot: isSame ? before.snapshot : await render(selection, before?.snapshot),
    };
  });
  const snapshotOf = (entry: Entry | undefined, projectKey: string) =>
    entry?.projectKey === projectKey ? entry.snapshot : undefined;
  /** A function of its own: in the one returned, what it captures would cost each read an object more. */
  const load = async (entry: Promise<Entry | undefined>, projectKey: string) =>
    snapshotOf(await entry, projectKey);
  return (projectKey, environmentKey) => {
    const entry = find(environmentKey);
    return entry instanceof Promise ? load(entry, projectKey) : snapshotOf(entry, projectKey);
  };
}
