import { join } from "node:path";
import { afterAll } from "bun:test";
import { LONE_SCOPES, type Scope } from "../../src/access/scope.ts";
import { type App, connectAreas } from "../../src/app.ts";
import { createIdSource } from "../../src/base/ids.ts";
import { watchChanges } from "../../src/base/watch.ts";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import type { NoteRead } from "../../src/flags/reads/reads.ts";
import { type Client, findClient } from "../../src/http/address.ts";
import { createAdminApp } from "../../src/http/admin/admin.ts";
import type { Report } from "../../src/http/errors.ts";
import { createCodeReferencesService } from "../../src/http/flags/code-references.ts";
import { createFlagsService } from "../../src/http/flags/flags.ts";
import { createFlagdSource } from "../../src/http/flags/flagd/source.ts";
import { createOfrepService } from "../../src/http/flags/ofrep.ts";
import { createPagesService } from "../../src/http/flags/pages.ts";
import { createPreviewsService } from "../../src/http/flags/previews.ts";
import { createFormsService } from "../../src/http/forms/forms.ts";
import { createLinks } from "../../src/http/forms/links.ts";
import { DEFAULT_MAX_CONCURRENT } from "../../src/http/limits.ts";
import { createMetrics } from "../../src/http/operation/metrics.ts";
import { createGuard } from "../../src/http/rate-limit.ts";
import type { SiteOptions } from "../../src/http/site.ts";
import { type SqliteStore, openSqliteStore } from "../../src/store/sqlite/store.ts";
import { newDatabase } from "./database.ts";
import { openNotes } from "./notes.ts";
import { fakeOutgoing } from "./peers/outgoing.ts";
import { tempDirectory } from "./temp.ts";

/** The product on any store, with uploads in a directory of its own and a clock that stands still until it is moved. */
export type ClockedApp = App & { clock: { now: number }; directory: string };

/** The same on a SQLite file. */
export type TestApp = ClockedApp & { store: SqliteStore };

export function openTestApp(writing: "thread" | "inline" = "inline"): TestApp {
  const directory = tempDirectory();
  const clock = { now: Date.parse("2026-01-02T03:04:05.678Z") };
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const now = () => clock.now;
  const store = openSqliteStore(newDatabase(directory), writing);
  const uploads = join(directory, "uploads");
  const blobs = openDiskBlobs(uploads);
  afterAll(() => store.close());
  store.deliveries.clock = async () => clock.now;
  return connectAreas({
    store,
    watch: watchChanges(store),
    blobs,
    notes: openNotes(store, uploads),
    now,
    random,
    nextId: createIdSource(random, now),
    onQueued: () => {},
    clock,
    directory,
  });
}

/** How much feedback an address may send. */
const FEEDBACK_RATE = { count: 60, seconds: 60 };

/** Every service on one app; what the operator would be told of is collected. */
export function openServices(app: App, publicUrl: string | null = null, noteRead: NoteRead = () => {}) {
  const reported: unknown[] = [];
  const report: Report = { error: (error) => void reported.push(error), refused: () => {}, spam: () => {} };
  const guard = createGuard(app.now, { concurrent: DEFAULT_MAX_CONCURRENT, rate: null });
  const outgoing = fakeOutgoing();
  const backup = async () => ({
    name: "backup.tar",
    type: "application/x-tar",
    size: null,
    rows: null,
    content: (async function* () {
      yield "an archive";
    })(),
  });
  return {
    reported,
    outgoing,
    report,
    forms: createFormsService(app, createLinks(publicUrl, "", "secret"), report, guard, async () => outgoing),
    flags: createFlagsService(app, report, undefined, noteRead),
    codeReferences: async () => createCodeReferencesService(app, report, guard),
    previews: createPreviewsService(app, report, { feedbackRate: FEEDBACK_RATE, countFeedback: () => {} }),
    pages: async () => createPagesService(app, report, { guard }),
    ofrep: async () => createOfrepService(app, report, { noteRead }),
    flagdSource: async () => createFlagdSource(app, report, { maxStale: null, threads: null }),
    admin: () => createAdminApp(app, { version: "test", report, outgoing: async () => outgoing, backup }),
  };
}

/** A client that asks without a proxy. */
export function clientAt(address: string): Client {
  return findClient(address, null, () => false);
}

/** A site of its own at no base path, which tells nobody of what it does. */
export function siteOptions(app: App): SiteOptions {
  return {
    app,
    basePath: "",
    hsts: null,
    isTrustedProxy: () => false,
    counted: createMetrics(),
    log: () => {},
    logsReads: true,
    report: { error: () => {}, refused: () => {}, spam: () => {} },
  };
}

/** What a token with that scope has to name: a project and an environment that the test has made. */
export function placeOf(scope: Scope): { project?: string; environment?: string } {
  if (scope === "flags:refs") return { project: "shop" };
  return LONE_SCOPES.some((each) => each === scope) ? { project: "shop", environment: "develop" } : {};
}
