import { afterAll } from "bun:test";
import { join } from "node:path";
import { connectAreas } from "../../../src/app.ts";
import { createIdSource } from "../../../src/base/ids.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import { openDiskBlobs } from "../../../src/blobs/disk.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import type { ClockedApp } from "../app.ts";
import { freshDatabase } from "./postgres.ts";
import { random } from "../records/records.ts";
import { tempDirectory } from "../temp.ts";

/** The product as that many processes run it on one new database of PostgreSQL, whose clocks and the database's are one that stands still. */
export async function openReplicas(count: number, url?: string): Promise<ClockedApp[]> {
  const address = parseDatabaseUrl(url ?? (await freshDatabase()));
  const directory = tempDirectory();
  const clock = { now: Date.parse("2026-01-02T03:04:05.678Z") };
  const now = () => clock.now;
  const open = async (): Promise<ClockedApp> => {
    const store = await openPostgresStore(address);
    const watch = watchChanges(store);
    store.deliveries.clock = async () => clock.now;
    afterAll(async () => {
      watch.close();
      await store.close();
    });
    return connectAreas({
      store,
      watch,
      blobs: openDiskBlobs(join(directory, "uploads")),
      notes: store.notes,
      now,
      random,
      nextId: createIdSource(random, now),
      onQueued: () => {},
      clock,
      directory,
    });
  };
  return Promise.all(Array.from({ length: count }, open));
}
