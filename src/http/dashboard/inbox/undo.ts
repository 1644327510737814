import type { SubmissionMark } from "../../../forms/submission-state.ts";
import { AppError } from "../../../base/errors.ts";

/** How long a mark can be undone, in milliseconds. */
const KEPT_MS = 600_000;
/** Ids that are kept for all that can be undone; the oldest goes first. */
const MAX_IDS = 100_000;

/** What undoes a mark: another mark of those that it has changed. */
type Undo = {
  user: string;
  ids: readonly string[];
  /** The mark that is undone, and the one that undoes it. */
  done: SubmissionMark;
  mark: SubmissionMark;
  back: string;
};

export type Undos = {
  /** Returns the name under which it is taken again. */
  keep: (undo: Undo) => string;
  /** Returns what that user may undo, once. Throws `gone` where it is no longer kept. */
  take: (name: string, user: string) => Undo;
};

/** Keeps what can be undone, in memory: a restart forgets it. */
export function createUndos(now: () => number): Undos {
  const kept = new Map<string, Undo & { at: number }>();
  const isFull = () => [...kept.values()].reduce((sum, { ids }) => sum + ids.length, 0) > MAX_IDS;

  return {
    keep(undo) {
      const name = crypto.randomUUID();
      kept.set(name, { ...undo, at: now() });
      for (const [oldest, { at }] of kept)
        if (at < now() - KEPT_MS || (isFull() && kept.size > 1)) kept.delete(oldest);
        else break;
      return name;
    },
    take(name, user) {
      const undo = kept.get(name);
      if (!undo || undo.user !== user || undo.at < now() - KEPT_MS)
        throw new AppError("gone", "this can no longer be undone");
      kept.delete(name);
      return undo;
    },
  };
}
