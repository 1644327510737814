import { openDiskNotes } from "../../src/blobs/disk-notes.ts";
import type { Notes } from "../../src/blobs/notes.ts";
import { holdsOf } from "../../src/store/sqlite/lock.ts";
import type { SqliteStore } from "../../src/store/sqlite/store.ts";

/** Opens notes beside a store and an upload directory, as a server does if it is the `isOnly` process that stages files. */
export function openNotes(store: Pick<SqliteStore, "garbage">, uploads: string, isOnly = false): Notes {
  const { garbage } = store;
  return openDiskNotes(uploads, { garbage, holds: holdsOf(`${uploads}.hold`), isOnly });
}
