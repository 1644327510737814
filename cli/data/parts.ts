import type { App } from "../../src/app.ts";
import type { SharedClock } from "../../src/base/threads/shared-clock.ts";
import type { StoreLink } from "../../src/store/postgres/threads/calls.ts";
import type { WriterLink, WriterMemory } from "../../src/store/sqlite/writer.ts";

/** A way of another thread of a server to the writer thread, or to the store of the main thread. */
export type ThreadLink = WriterLink | StoreLink;

/** `join` makes a way for another thread; null if there is only one. */
export type OpenApp = App & AsyncDisposable & { join: (() => ThreadLink) | null };

/** Memory that the threads of a server share, and the way of this one to the main thread; null in that itself. */
export type OpenThreads = {
  memory: { writer: WriterMemory; version: SharedArrayBuffer; published: SharedArrayBuffer };
  clock: SharedClock;
  link: ThreadLink | null;
};

/** The parts of an app that depend on where its data is. */
export type Parts = Pick<OpenApp, "store" | "blobs" | "notes" | "watch" | "join">;
