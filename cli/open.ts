import { join } from "node:path";
import type { App } from "../src/app.ts";
import { openDiskBlobs } from "../src/blobs/disk.ts";
import { createIdSource } from "../src/keys.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";

export type OpenApp = App & AsyncDisposable;

/**
 * The product on a data directory, which is made where it does not exist. A server commits on a `thread` of its
 * own, a command `inline`. Throws `unavailable`, `forbidden` or `unsupported` where the directory cannot be used.
 */
export function openApp(data: string, writing: "thread" | "inline"): OpenApp {
  const blobs = openDiskBlobs(join(data, "uploads"));
  const store = openSqliteStore(join(data, "formflag.db"), writing);
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  return {
    store,
    blobs,
    now: Date.now,
    random,
    nextId: createIdSource(random, Date.now),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
