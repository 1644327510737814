import type { FlagsApp } from "./store.ts";
import { watchChanges } from "../base/changes.ts";
import type { FlagSelection } from "./store.ts";

/** Returns the snapshot of the environment that two keys select, at once where it is current; undefined where they select none. */
export type FindSnapshot<T> = (
  projectKey: string,
  environmentKey: string,
) => T | undefined | Promise<T | undefined>;

/**
 * Keeps a snapshot of the flags of each environment in memory, and renders it again only after those flags changed.
 * Between two checks for changes, a snapshot is returned without a promise.
 */
export function createSnapshots<T>(
  store: FlagsApp["store"],
  render: (selection: FlagSelection, before: T | undefined) => Promise<T>,
): FindSnapshot<T> {
  type Entry = { projectKey: string; version: number; revision: number; snapshot: T };
  const changes = watchChanges(store);
  /** By environment key, which alone is unique. */
  const kept = new Map<string, Entry>();

  const find = (projectKey: string, environmentKey: string): Entry | undefined => {
    const entry = kept.get(environmentKey);
    return entry?.projectKey === projectKey ? entry : undefined;
  };

  const load = async (projectKey: string, environmentKey: string): Promise<T | undefined> => {
    // Read before the flags: a change in between then outdates the entry, instead of going unnoticed.
    const version = await changes.readVersion();
    const entry = find(projectKey, environmentKey);
    if (entry?.version === version) return entry.snapshot;
    const selection = await store.flags.select(projectKey, environmentKey);
    if (!selection) {
      if (entry) kept.delete(environmentKey);
      return undefined;
    }
    const { revision } = selection;
    const snapshot = entry?.revision === revision ? entry.snapshot : await render(selection, entry?.snapshot);
    kept.set(environmentKey, { projectKey, version, revision, snapshot });
    return snapshot;
  };

  return (projectKey, environmentKey) => {
    const version = changes.knownVersion();
    const entry = version === undefined ? undefined : find(projectKey, environmentKey);
    return entry && entry.version === version ? entry.snapshot : load(projectKey, environmentKey);
  };
}
