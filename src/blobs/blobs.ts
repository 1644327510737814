import { AppError } from "../base/errors.ts";

/**
 * The port of the file store. The product chooses the keys: an id of ASCII letters, digits and dashes, a dot, and a number
 * from 1.
 */
export type Blobs = {
  /** Starts a file that is not visible until it is kept. */
  stage(): Promise<StagedBlob>;
  /**
   * Finishes files and makes them permanent under their keys, all or none, and returns once they survive a power cut.
   * Throws `unavailable` if the storage is full or read-only, or does not answer: {@link mayStillAppear}.
   */
  keep(files: { key: string; staged: StagedBlob }[]): Promise<void>;
  /** Throws `unavailable` unless there is room for a file. */
  ready(): Promise<void>;
  /** The bytes of a kept file. Throws `not_found`. */
  open(key: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** At most the first `length` bytes of a kept file. Throws `not_found`. */
  head(key: string, length: number): Promise<Uint8Array>;
  has(key: string): Promise<boolean>;
  /** All kept files with their sizes in bytes, in batches. Foreign files are included, by their names. */
  list(): AsyncIterable<{ key: string; size: number }[]>;
  /**
   * Removes files and returns once that survives a power cut. A missing file is not an error. Returns the files
   * that alone could not be removed; throws if it is not known what was removed.
   */
  delete(keys: string[]): Promise<Undeleted[]>;
};

/** A file that could not be removed, and why. */
export type Undeleted = { key: string; error: unknown };

/** Removes files as `delete` does, and throws the first error once the others are removed. */
export async function deleteAll(blobs: Pick<Blobs, "delete">, keys: string[]): Promise<void> {
  requireNone(await blobs.delete(keys));
}

/** Throws the error of the first file that could not be removed, if there is one. */
export function requireNone([first]: readonly Undeleted[]): void {
  if (first) throw first.error;
}

export type StagedBlob = {
  /** Appends bytes. If it returns a promise, the caller must not change or append bytes until that settles. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends the file and returns its bytes and its SHA-256 in hex; may be called again. */
  finish(): Promise<{ size: number; sha256: string }>;
  /** Removes the file. May be called at any time; after `keep` it has no effect. */
  discard(): Promise<void>;
};

/**
 * Whether some files may still appear after `keep` failed with this error, because an abandoned request may still be
 * running. Their note has to stay.
 */
export function mayStillAppear(error: unknown): boolean {
  return error instanceof AppError && UNFINISHED.has(error.reason);
}

const UNFINISHED = new Set<string | null>(["storage-unavailable", "storage-unreachable"]);
