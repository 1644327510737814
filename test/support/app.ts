import { join } from "node:path";
import { afterAll } from "bun:test";
import type { App } from "../../src/app.ts";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { createAdminApp } from "../../src/http/admin.ts";
import { createFlagsService } from "../../src/http/flags.ts";
import { createFormsService } from "../../src/http/forms.ts";
import { createLinks } from "../../src/http/links.ts";
import { createIdSource } from "../../src/keys.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { tempDirectory } from "./temp.ts";

/** The product on a directory of its own, with a clock that stands still until it is moved. */
export type TestApp = App & { clock: { now: number }; directory: string };

export function openTestApp(writing: "thread" | "inline" = "inline"): TestApp {
  const directory = tempDirectory();
  const clock = { now: Date.parse("2026-01-02T03:04:05.678Z") };
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const now = () => clock.now;
  const store = openSqliteStore(join(directory, "formflag.db"), writing);
  const blobs = openDiskBlobs(join(directory, "uploads"));
  afterAll(() => store.close());
  return { store, blobs, now, random, nextId: createIdSource(random, now), clock, directory };
}

/** Every service on one app; what the operator would be told of is collected. */
export function openServices(app: TestApp, publicUrl: string | null = null) {
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  return {
    reported,
    forms: createFormsService(app, createLinks(publicUrl, app.random), report),
    flags: createFlagsService(app, report),
    admin: () => createAdminApp(app, { version: "test", report }),
  };
}
