import { clock } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/sum.ts";
import type { LabelChange } from "../../../forms/inbox/handling.ts";
import type { Shared } from "../../../forms/shared.ts";
import type { SubmissionMark } from "../../../forms/submission-state.ts";

/** How long a mark can be undone, in milliseconds. */
const KEPT_MS = 600_000;

/** Characters that one process keeps for all that can be undone: about 100,000 ids. The oldest goes first. */
const MAX_KEPT = 4_000_000;

/** Undo of an action: the reverse one for the submissions that it changed. */
export type Undo = { user: string; back: string } & (
  | {
      /** The mark that is undone, and for each mark that undoes it the submissions that had it before. */
      done: SubmissionMark;
      before: Partial<Record<SubmissionMark, string[]>>;
    }
  | {
      ids: readonly string[];
      /** The labels to put back and to take away, or the assignee that is undone and the one before. */
      handling: { labels: LabelChange } | { done: { assignee: string | null }; assignee: string | null };
    }
);

export type Undos = {
  /** Returns the name under which it is taken again. Throws `unavailable`. */
  keep: (undo: Undo) => Promise<string>;
  /** Returns what that user may undo, once. Throws `gone` if it is no longer kept, and `unavailable`. */
  take: (name: string, user: string) => Promise<Undo>;
};

/** Keeps what can be undone where all processes of the database find it: in memory if there is one, which a restart empties. */
export function createUndos(now: () => number, shared: Shared | null): Undos {
  const kept = shared ?? keepInMemory(now);
  const hashOf = (name: string, user: string) => sha256(JSON.stringify(["undo", name, user]));
  return {
    async keep(undo) {
      const name = clock.uuid();
      await kept.keep(hashOf(name, undo.user), JSON.stringify(undo), now() + KEPT_MS);
      return name;
    },
    async take(name, user) {
      const undo = await kept.take(hashOf(name, user), now());
      if (undo === undefined) throw new AppError("gone", "this can no longer be undone");
      return JSON.parse(undo) as Undo;
    },
  };
}

function keepInMemory(now: () => number): Pick<Shared, "keep" | "take"> {
  const kept = new Map<string, { text: string; expiresAt: number }>();
  let size = 0;
  const remove = (hash: string) => {
    const found = kept.get(hash);
    if (found) size -= found.text.length;
    kept.delete(hash);
    return found;
  };
  return {
    async keep(hash, text, expiresAt) {
      kept.set(hash, { text, expiresAt });
      size += text.length;
      for (const [oldest, { expiresAt }] of kept)
        if (expiresAt <= now() || (size > MAX_KEPT && kept.size > 1)) remove(oldest);
        else break;
    },
    async take(hash, at) {
      const found = remove(hash);
      return found && found.expiresAt > at ? found.text : undefined;
    },
  };
}
