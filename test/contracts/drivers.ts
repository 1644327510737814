import { join } from "node:path";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { parseDatabaseUrl } from "../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { answerCalls } from "../../src/store/postgres/threads/answers.ts";
import { createCaller } from "../../src/store/postgres/threads/calls.ts";
import { openRemoteStore } from "../../src/store/postgres/threads/remote-store.ts";
import { watchChanges } from "../../src/base/watch.ts";
import { takeSnapshot } from "../../src/store/sqlite/copies/snapshot.ts";
import { openMigrated } from "../support/database.ts";
import { openNotes } from "../support/notes.ts";
import { freshDatabase } from "../support/postgres/postgres.ts";
import { tempDirectory } from "../support/temp.ts";
import type { Driver } from "./driver.ts";

/** The driver of SQLite, with files in a directory of its own. */
export function sqliteDriver(writing: "inline" | "thread"): Driver {
  const directory = tempDirectory();
  const pathOf = (database: string) => join(directory, `${database}.db`);
  return {
    name: `SQLite, written ${writing}`,
    open(database) {
      const uploads = join(directory, `${database}-uploads`);
      openDiskBlobs(uploads);
      const store = openMigrated(pathOf(database), writing);
      return { ...store, notes: openNotes(store, uploads, true) };
    },
    copy: (from, into, progress) => takeSnapshot(pathOf(from), pathOf(into), progress),
  };
}

/** The driver of PostgreSQL, with databases of its own. */
export function postgresDriver(): Driver {
  const urls = new Map<string, Promise<string>>();
  const open: Driver["open"] = async (database) => {
    let url = urls.get(database);
    if (!url) urls.set(database, (url = freshDatabase()));
    return openPostgresStore(parseDatabaseUrl(await url), { staleness: 1 });
  };
  return {
    name: "PostgreSQL",
    open,
    async copy(from, into, progress) {
      const [source, target] = [await open(from), await open(into)];
      await target.fill(source.dump(progress));
      await Promise.all([source.close(), target.close()]);
    },
  };
}

/** The same as another thread of a server has it: every call of a method that takes and returns data goes over a port. */
export function remoteDriver(): Driver {
  const { open, copy } = postgresDriver();
  return {
    name: "PostgreSQL, from another thread",
    async open(database) {
      const store = await open(database);
      const { port1, port2 } = new MessageChannel();
      answerCalls(port1, store, watchChanges(store), { onNews: () => {} });
      const remote = openRemoteStore(createCaller(port2), store.staleness);
      return {
        ...remote,
        watch: (changed) => store.watch(changed),
        dump: (progress) => store.dump(progress),
        fill: (dump) => store.fill(dump),
        moving: () => store.moving(),
        notes: { ...remote.notes, hold: () => store.notes.hold() },
        async close() {
          await remote.close();
          port1.close();
          await store.close();
        },
      };
    },
    copy,
  };
}
