import { MiB } from "../base/bytes.ts";

/**
 * What the product needs of a file store. Keys are made by the product: an id of ASCII letters, digits and dashes, a
 * dot, and a number from 1.
 */
export type Blobs = {
  /** Starts a file that nobody sees until it is kept. */
  stage(): Promise<StagedBlob>;
  /**
   * Makes finished files permanent under their keys, all or none, and returns once they survive a power cut.
   * Throws `unavailable` where the storage is full or read-only.
   */
  keep(files: { key: string; staged: StagedBlob }[]): Promise<void>;
  /** Throws `unavailable` unless there is room for a file. */
  ready(): Promise<void>;
  /** The bytes of a kept file. Throws `not_found`. */
  open(key: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  has(key: string): Promise<boolean>;
  /** The keys of all kept files, some at a time; files that others put there have no key of ours. */
  list(): AsyncIterable<string[]>;
  /** Removes files, and returns once that survives a power cut; one that is not there is no error. */
  delete(keys: string[]): Promise<void>;
  /**
   * Notes that the keys of that id with numbers up to `files` may be kept without anything that refers to them, until
   * the note is cleared. A note outlives the process.
   */
  note(id: string, files: number): Promise<Note>;
  /** The keys of all notes that are not cleared. */
  pending(): Promise<string[]>;
  /**
   * Removes what an earlier process staged and never kept, and returns the notes it left. Only the one process that
   * stages may call it.
   */
  recover(): Promise<(Note & { keys: string[] })[]>;
  /**
   * From now on, what is deleted can still be opened through the hold, by whichever process it is deleted, until the
   * hold is released or its process ends. One process at a time may hold; it ends what an earlier one left.
   */
  hold(): Promise<Hold>;
};

type Hold = {
  /** The bytes of a file that was kept when the hold began, or since. Throws `not_found`, on reading. */
  open(key: string): AsyncIterable<Uint8Array>;
  release(): Promise<void>;
};

type Note = { clear: () => Promise<void> };

export type StagedBlob = {
  /** Appends bytes, which the caller leaves alone until the promise settles. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the file: its bytes and its SHA-256 in hex. */
  finish(): Promise<{ size: number; sha256: string }>;
  /** Throws the file away; may be called at any time, and after `keep` does nothing. */
  discard(): Promise<void>;
};

/** Free bytes of a disk below which it counts as full. */
export const MIN_FREE_BYTES = 16 * MiB;
