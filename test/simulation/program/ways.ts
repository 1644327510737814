import { connectAreas } from "../../../src/app.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { operatorCaller } from "../../../src/access/caller.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createIdSource } from "../../../src/base/ids.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import { openDiskBlobs } from "../../../src/blobs/disk.ts";
import { applyDue } from "../../../src/flags/schedule/schedule-job.ts";
import { ADMIN_PATH } from "../../../src/operations/operation.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { userName } from "../../../cli/session/user.ts";
import { type ClockedApp, openServices } from "../../support/app.ts";
import { formflag } from "../../support/commands.ts";
import { newDatabase } from "../../support/database.ts";
import { openNotes } from "../../support/notes.ts";
import { freshDatabase } from "../../support/postgres/postgres.ts";
import type { Code } from "./model.ts";
import type { Call, Outcome, Way } from "./operation.ts";

/** What each way draws on: a clock and chance, set anew before each operation. */
export type Surroundings = { now: () => number; random: (length: number) => Uint8Array };

type Opened = { way: Way; close: () => Promise<void> };

/** The exit codes of commands, by the code of an error: cli/main.ts. */
const EXITS: Partial<Record<Code, number>> = {
  ok: 0,
  invalid: 2,
  unconfirmed: 2,
  unprocessable: 2,
  not_found: 3,
  forbidden: 4,
  conflict: 5,
  unavailable: 6,
};

/** What a command is told that is to change every environment, and to delete. */
const CONFIRMED = ["--yes", ...["develop", "live", "extra"].flatMap((each) => ["--confirm", each])];

const REST = { "content-type": "application/json" };

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { code: "ok", answer: await work() };
  } catch (error) {
    if (error instanceof AppError) return { code: error.code };
    throw error;
  }
}

/** Submissions and scheduled changes, which are the same in every way. */
function common(app: ClockedApp, now: () => number): Pick<Way, "submit" | "makeDue"> {
  const sync = () => void (app.clock.now = now());
  const { forms, reported } = openServices(app);
  return {
    async submit(slug, data) {
      sync();
      const form = (await app.store.forms.named(slug))[0];
      if (!form) return { code: "not_found" };
      const request = new Request(`http://forms.test/v1/s/${form.key}?mode=rest`, {
        method: "POST",
        headers: REST,
        body: JSON.stringify(data),
      });
      const client = { address: "203.0.113.7", isLocal: false };
      const answer = await forms.routes.fetch(request, { client });
      if (reported.length > 0) throw reported[0];
      const told = (await answer.json()) as { id?: string };
      const codes: Record<number, Code> = { 200: "ok", 403: "forbidden", 404: "not_found", 409: "conflict" };
      return { code: codes[answer.status] ?? String(answer.status), answer: told };
    },
    makeDue: () => {
      sync();
      return outcomeOf(() => applyDue(app, () => {}));
    },
  };
}

function appOn(
  directory: string,
  store: ClockedApp["store"],
  notes: ClockedApp["notes"],
  { now, random }: Surroundings,
): ClockedApp {
  const clock = { now: now() };
  const uploads = join(directory, "uploads");
  return connectAreas({
    store,
    watch: watchChanges(store),
    blobs: openDiskBlobs(uploads),
    notes,
    now,
    random,
    nextId: createIdSource(random, now),
    onQueued: () => {},
    clock,
    directory,
  });
}

/** Opens what a directory holds, or a database that holds nothing. */
export function openSqliteApp(directory: string, surroundings: Surroundings): ClockedApp {
  const file = join(directory, "formflag.db");
  const store = openSqliteStore(existsSync(file) ? file : newDatabase(directory), "inline");
  return appOn(directory, store, openNotes(store, join(directory, "uploads")), surroundings);
}

export async function openPostgresApp(directory: string, surroundings: Surroundings): Promise<ClockedApp> {
  const store = await openPostgresStore(parseDatabaseUrl(await freshDatabase()), {
    staleness: 1,
    opensTarget: true,
  });
  return appOn(directory, store, store.notes, surroundings);
}

/** The operations themselves. */
function operationsOn(name: string, app: ClockedApp, { now }: Surroundings): Opened {
  const way: Way = {
    name,
    app,
    ...common(app, now),
    do({ run, confirmed = false }: Call) {
      app.clock.now = now();
      const caller = operatorCaller(userName, () => confirmed);
      return outcomeOf(() => run(app, caller));
    },
    codeOf: (code) => code,
  };
  return {
    way,
    async close() {
      app.watch.close();
      await app.store.close();
    },
  };
}

async function overHttp(app: ClockedApp, surroundings: Surroundings): Promise<Opened> {
  const { admin: openAdmin, reported } = openServices(app);
  const admin = await openAdmin();
  const { way, close } = operationsOn("HTTP", app, surroundings);
  return {
    close,
    way: {
      ...way,
      async do({ request: [method, path, body, headers = {}], confirmed = false }) {
        app.clock.now = surroundings.now();
        const init = {
          method,
          headers: { ...REST, ...headers, ...(confirmed && { "x-confirm": "*" }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        };
        const answer = await admin.request(`${ADMIN_PATH}${path}`, init, { operator: userName });
        if (reported.length > 0) throw reported[0];
        if (answer.ok) return { code: "ok" };
        return { code: ((await answer.json()) as { error: { code: string } }).error.code };
      },
    },
  };
}

function byCommands(data: string, app: ClockedApp, surroundings: Surroundings): Opened {
  const { way, close } = operationsOn("commands", app, surroundings);
  return {
    close,
    way: {
      ...way,
      async do({ args, stdin, confirmed = false }) {
        const yes = confirmed ? CONFIRMED : [];
        const options = stdin === undefined ? {} : { stdin };
        const { code, stderr } = await formflag([...args, ...yes, "--data", data], options);
        if (code === 1) throw new Error(stderr);
        return { code: String(code) };
      },
      codeOf: (code) => String(EXITS[code]),
    },
  };
}

/** Opens the ways on data of their own in a directory; without `withPostgres` three of them. */
export async function openWays(
  directoryOf: (name: string) => string,
  surroundings: Surroundings,
  withPostgres: boolean,
): Promise<{ ways: Way[]; close: () => Promise<void> }> {
  const opened = [
    operationsOn("SQLite", openSqliteApp(directoryOf("sqlite"), surroundings), surroundings),
    await overHttp(openSqliteApp(directoryOf("http"), surroundings), surroundings),
  ];
  const data = directoryOf("commands");
  opened.push(byCommands(data, openSqliteApp(data, surroundings), surroundings));
  if (withPostgres) {
    const app = await openPostgresApp(directoryOf("postgres"), surroundings);
    opened.push(operationsOn("PostgreSQL", app, surroundings));
  }
  return {
    ways: opened.map(({ way }) => way),
    close: async () => void (await Promise.all(opened.map(({ close }) => close()))),
  };
}
