/** How many submissions the filter of a project has learned from; `stamp` differs once these are others. */
export type LearnedCounts = { spam: number; good: number; stamp: string };

/** The counts without the stamp; it decides from `least` of each kind. */
export type LearnedView = { spam: number; good: number; least: number };

/** The examples of a filter, in words. */
export function learnedInWords({ spam, good, least }: LearnedView): string {
  return `learned from ${spam} spam and ${good} good; decides from ${least} of each`;
}

/** An example that is still to be read; `data` is the JSON of the submission, null for one that does not exist any more. */
export type UnreadExample = { id: string; data: string | null };

/** The hashes of an example's features, of four bytes each; null for one that cannot be read any more. */
export type NewExample = { id: string; hashes: Uint8Array | null };

/** Examples of the filters of projects: submissions that people marked, also where they are deleted since. */
export type LearningStore = {
  /** Of a project, by its slug. */
  counts(project: string): Promise<LearnedCounts>;
  /** The hashes of the newest examples of a project, `LEARNING.examples` of each kind at most. */
  examples(project: string): Promise<{ spam: Uint8Array[]; good: Uint8Array[] }>;
  /** At most `limit` examples that are still to be read, fewer where they are large. */
  unread(limit: number): Promise<UnreadExample[]>;
  /** Keeps what was read, and forgets the oldest examples of forms past `LEARNING.examples`. */
  keep(examples: readonly NewExample[]): Promise<void>;
};
