import { applyChanges } from "./apply.ts";
import { removeCode, replaceCode } from "./code-references.ts";
import { deleteFeedback, deleteSomeFeedback, insertFeedback } from "./feedback.ts";
import { markRead } from "./reads.ts";
import { keepSecret } from "./secrets.ts";
import { addTallies, clearTallies } from "./tallies.ts";
import { recountSubmissions } from "./submission-counts.ts";
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
  recountSubmissions,
};

type Writes = typeof WRITES;
export type WriteName = keyof Writes;
export type WriteArgs<N extends WriteName> = Parameters<Writes[N]>;
export type WriteResult<N extends WriteName> =
  ReturnType<Writes[N]> extends Work<infer Result> ? Result : never;

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
