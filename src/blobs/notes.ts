import { blobKey } from "./key.ts";

/**
 * The port of notes about files that may have to be removed: upload notes, of files that may be kept before the row of their
 * submission is stored, and garbage, files that no row needs any more. A driver of the database records garbage in the
 * transaction that deletes the rows. Times are milliseconds since 1970. All methods throw `unavailable` as the store does.
 */
export type Notes = {
  /**
   * Notes that the files of a submission with numbers from 1 to `files` may be kept from now on. Every file that is kept
   * afterwards and survives a crash or a power cut has its note. The submission ought to be stored before `due`.
   */
  add(id: string, files: number, due: number): Promise<void>;
  /** Removes the upload notes of these submissions. One that does not exist is not an error. */
  clear(ids: readonly string[]): Promise<void>;
  /** Removes keys from the garbage, once their files are removed. */
  forget(keys: readonly string[]): Promise<void>;
  /**
   * At most `limit` upload notes that are due at `now`, and at most `limit` keys of garbage; each again until it is cleared
   * or forgotten. A driver may yield the notes of a process that has ended earlier. From now on no submission with a claimed
   * note is stored, so that its files can be removed unless its row exists. Files that a process holds are never garbage.
   */
  claim(now: number, limit: number): Promise<Claim>;
  /** The keys of the files of all upload notes, of every process. */
  pending(): Promise<string[]>;
  /**
   * Keeps the files of submissions that any process deletes from now on, until the hold is released or its process ends.
   * Throws `unavailable` if only one process can hold files and another one does.
   */
  hold(): Promise<Hold>;
  /** Whether the insert of a submission clears its upload note, in its transaction; otherwise the caller does afterwards. */
  clearedByInsert: boolean;
};

/** An upload under way: the id of its submission, and the number of its files. */
export type UploadNote = { id: string; files: number };

/** The keys of the files that an upload note is about. */
export function keysOf({ id, files }: UploadNote): string[] {
  return Array.from({ length: files }, (_, index) => blobKey(id, index + 1));
}

/** The garbage of a database, for notes of which the rest is beside it. */
export type Garbage = Pick<Notes, "forget"> & {
  /** At most `limit` keys, whether a process holds files or not. */
  list(limit: number): Promise<string[]>;
};

export type Claim = { uploads: UploadNote[]; garbage: string[] };

export type Hold = { release(): Promise<void> };
