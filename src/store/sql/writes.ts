import { clearEnded, retryDeliveries, retryFailed } from "./deliveries.ts";
import { cancelTargetless, explainMail, claimAlert, releaseLeases, takeTurn } from "./outbox.ts";
import { applyChanges } from "./apply.ts";
import { removeCode, replaceCode } from "./code-references.ts";
import { deleteFeedback, deleteSomeFeedback, insertFeedback } from "./feedback.ts";
import { markRead } from "./reads.ts";
import { deleteAged, purgeSubmissions } from "./erasure.ts";
import { importSubmissions } from "./import.ts";
import { clearExpired } from "./intake.ts";
import { type Forget, clearDeleted, deleteSubmissions } from "./removals.ts";
import { keepSecret } from "./secrets.ts";
import {
  clearEndedSessions,
  deleteSession,
  deleteSessionByHash,
  insertLink,
  insertSession,
  markSeen,
  spendLink,
} from "./sessions.ts";
import { addTallies, clearTallies } from "./tallies.ts";
import { recountSubmissions } from "./submission-counts.ts";
import { forgetLoose } from "./submission-files.ts";
import { markSubmissions } from "./submission-marks.ts";
import type { Work } from "./work.ts";

/** Every operation that writes and that the databases share, by a name that can be sent to another thread. */
export const WRITES = {
  apply: applyChanges,
  markRead,
  replaceCode,
  removeCode,
  insertFeedback,
  deleteFeedback,
  deleteSomeFeedback,
  addTallies,
  clearTallies,
  keepSecret,
  insertSession,
  markSeen,
  deleteSession,
  deleteSessionByHash,
  insertLink,
  spendLink,
  clearEndedSessions,
  takeTurn,
  releaseLeases,
  explainMail,
  cancelTargetless,
  retryDeliveries,
  retryFailed,
  clearEnded,
  claimAlert,
  recountSubmissions,
  importSubmissions,
  markSubmissions,
  clearExpired,
  forgetLoose,
};

/** The operations that delete submissions, which a driver's search index has to forget. */
export function removals(forget: Forget) {
  return {
    deleteSubmissions: withForget(forget, deleteSubmissions),
    clearDeleted: withForget(forget, clearDeleted),
    deleteAged: withForget(forget, deleteAged),
    purgeSubmissions: withForget(forget, purgeSubmissions),
  };
}

function withForget<Args extends unknown[], T>(
  forget: Forget,
  remove: (forget: Forget, ...args: Args) => Work<T>,
): (...args: Args) => Work<T> {
  return (...args) => remove(forget, ...args);
}

type Writes = typeof WRITES & ReturnType<typeof removals>;
export type WriteName = keyof Writes;
type WriteArgs<N extends WriteName> = Parameters<Writes[N]>;
type WriteResult<N extends WriteName> = ReturnType<Writes[N]> extends Work<infer Result> ? Result : never;

/** Approximate bytes of the arguments of a write that has only a few. */
export const WEIGHT = 1000;

/** How the slices of a store reach its database. */
export type Runner = {
  read: <T>(work: () => Work<T>) => Promise<T>;
  /** Every statement of the work sees the database as of one moment. */
  readAtOnce: <T>(work: () => Work<T>) => Promise<T>;
  /** Commits a write. `weight` is the approximate bytes of its arguments, otherwise {@link WEIGHT}. */
  write: <N extends WriteName>(name: N, args: WriteArgs<N>, weight?: number) => Promise<WriteResult<N>>;
};
