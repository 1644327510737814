import type { Dump, Snapshot } from "./store.ts";

/** A file in an archive. Its bytes can be read once, before those of the next file. */
export type ArchiveEntry = { path: string; size: number; bytes: AsyncIterable<Uint8Array> };

/** A directory for the large temporary files of a backup. */
export type Scratch = {
  /** The path of the file of that name. */
  path(name: string): string;
  save(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): void;
  openSnapshot(name: string): Snapshot;
  /** Makes a new database, without a search index, of the rows of a store. */
  fill(name: string, dump: Dump): Promise<void>;
  /** The rows of a database of ours, which is brought up to date first. */
  dump(name: string): Dump;
  /**
   * Copies the rows of an untrusted database into a new one with the schema of formflag. Returns at most `limit` problems of
   * the original. Throws `unsupported` if it is not a formflag database, or a newer one.
   */
  adopt(name: string, into: string, options: { name: string; limit: number }): Promise<string[]>;
};
