import { MiB } from "../base/bytes.ts";

/**
 * The port of the file store. The product chooses the keys: an id of ASCII letters, digits and dashes, a dot, and a number
 * from 1.
 */
export type Blobs = {
  /** Starts a file that is not visible until it is kept. */
  stage(): Promise<StagedBlob>;
  /**
   * Finishes files and makes them permanent under their keys, all or none, and returns once they survive a power cut.
   * Throws `unavailable` where the storage is full or read-only.
   */
  keep(files: { key: string; staged: StagedBlob }[]): Promise<void>;
  /** Throws `unavailable` unless there is room for a file. */
  ready(): Promise<void>;
  /** The bytes of a kept file. Throws `not_found`. */
  open(key: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** At most the first `length` bytes of a kept file. Throws `not_found`. */
  head(key: string, length: number): Promise<Uint8Array>;
  has(key: string): Promise<boolean>;
  /** The keys of all kept files, in batches. Names of foreign files are included. */
  list(): AsyncIterable<string[]>;
  /** Removes files and returns once that survives a power cut. A missing file is not an error. */
  delete(keys: string[]): Promise<void>;
  /**
   * Notes that the keys of that id with numbers up to `files` may be kept before a row refers to them, until the note is
   * cleared. A note survives the process, so that a later one can remove these files.
   */
  note(id: string, files: number): Promise<Note>;
  /** The keys of all notes. */
  pending(): Promise<string[]>;
  /**
   * Removes the files that an earlier process staged and did not keep, and returns its notes. Call it only from the one
   * process that stages files.
   */
  recover(): Promise<(Note & { keys: string[] })[]>;
  /**
   * Files that any process deletes from now on can still be opened through the hold, until it is released or its process
   * ends. Only one process at a time may hold files; a new hold ends an earlier one.
   */
  hold(): Promise<Hold>;
};

type Hold = {
  /** The bytes of a file that existed at any time during the hold. Reading throws `not_found` for any other. */
  open(key: string): AsyncIterable<Uint8Array>;
  release(): Promise<void>;
};

type Note = { clear: () => Promise<void> };

export type StagedBlob = {
  /** Appends bytes. Where it returns a promise, the caller must not change or append bytes until that settles. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends the file and returns its bytes and its SHA-256 in hex; may be called again. */
  finish(): Promise<{ size: number; sha256: string }>;
  /** Removes the file. May be called at any time; after `keep` it has no effect. */
  discard(): Promise<void>;
};

/** Free bytes below which a disk counts as full. */
export const MIN_FREE_BYTES = 16 * MiB;
