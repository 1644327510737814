import { createOptInLinks } from "../../../src/forms/opt-in/links.ts";
import { Database } from "bun:sqlite";
import { type App, connectAreas } from "../../../src/app.ts";
import { setClock } from "../../../src/base/clock.ts";
import { type Jobs, startJobs } from "../../../src/base/jobs.ts";
import { createIdSource, endOfIds } from "../../../src/base/ids.ts";
import { once } from "../../../src/base/once.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createFailureLog } from "../../../src/delivery/failures.ts";
import { type Outbox, createOutbox } from "../../../src/delivery/outbox.ts";
import type { Outgoing } from "../../../src/delivery/outgoing.ts";
import type { OutboxTurn, ClaimedDelivery } from "../../../src/delivery/store.ts";
import type { SetupChange } from "../../../src/documents/setup.ts";
import type { NoteRead } from "../../../src/flags/reads/reads.ts";
import type { AdminApp } from "../../../src/http/admin/admin.ts";
import { ruleInWords } from "../../../src/flags/rules/difference-words.ts";
import { createFlagViews } from "../../../src/flags/reads/snapshots.ts";
import { createFormFinder } from "../../../src/forms/forms.ts";
import { type Judge, createJudge } from "../../../src/forms/spam/external-checks.ts";
import { titleOfContent } from "../../../src/forms/inbox/titles.ts";
import type { StoredSubmission } from "../../../src/forms/intake/insertion.ts";
import { openServices } from "../../support/app.ts";
import { type Files, blobsOf, clearNote, createFiles, notesOf } from "./files.ts";
import { RETRY_DELAYS, jobsOf } from "./jobs.ts";
import { watchLeases } from "./leases.ts";
import { replaceThreads } from "./outside.ts";
import { type Receivers, createReceivers } from "./receivers.ts";
import { type Process, type Scheduler, createProcess, createScheduler } from "./scheduler.ts";
import { type DatabaseFaults, NO_DATABASE_FAULTS, openSimulatedStore } from "./simulated-store.ts";

type Faults = {
  database: DatabaseFaults;
  /** Once in so many calls of the storage; 0 for never. */
  storage: number;
  /** Slots of servers that the database does not answer. */
  cutOff: Set<number>;
};

const CUT_OFF: DatabaseFaults = { ...NO_DATABASE_FAULTS, refused: 1 };

/** A process of the product with all that it runs. */
export type Server = {
  process: Process;
  app: App;
  outbox: Outbox;
  jobs: Jobs;
  findForm: ReturnType<typeof createFormFinder>;
  judge: Judge;
  /** What readers of the flags of an environment get, by slug. */
  findFlags: ReturnType<typeof createFlagViews<Map<string, { enabled: boolean; revision: number }>>>;
  /** What it answers over HTTP, which is loaded with the first request. */
  services: () => Services;
  /** Fulfils once it is killed. */
  killed: Promise<void>;
  kill: () => void;
};

type Services = Omit<ReturnType<typeof openServices>, "admin"> & { admin: () => Promise<AdminApp> };

/** The services of a process. What they would log is reported as what its jobs would. */
function servicesOf(
  app: App,
  outgoing: Outgoing,
  report: (error: unknown) => void,
  noteRead: NoteRead,
): () => Services {
  let opened: Services | undefined;
  const open = () => {
    const { admin, ...services } = openServices(app, null, noteRead);
    services.outgoing.ask = (...asked) => outgoing.ask(...asked);
    services.reported.push = (...errors) => {
      for (const error of errors) report(error);
      return 0;
    };
    return { ...services, admin: once(admin) };
  };
  return () => (opened ??= open());
}

export type World = {
  seed: number;
  scheduler: Scheduler;
  receivers: Receivers;
  files: Files;
  faults: Faults;
  servers: Server[];
  /** Starts a process in a slot; one that is to end after so many awaits may do so while it starts. */
  start: (slot: number, endsAfter?: number) => Promise<void>;
  /** What the product would log as a bug, and what must never be. */
  violations: string[];
  violated: (text: string) => void;
  /** A look at the data without a process between. */
  db: Database;
  /** When something last went wrong that excuses what is late, in virtual milliseconds. */
  troubleAt: number;
  troubled: () => void;
  /** When what is sent of a submission, or to the URL of a target, was last taken back or allowed. */
  withdrawn: Map<string, number>;
  /** When a target of that URL was last enabled. */
  enabled: Map<string, number>;
  /** By how much jobs of what starts from now on are slower than they are. */
  slowness: number;
  /** For how long after a commit a process may answer what was before it, in milliseconds. */
  staleness: number;
  /** What the clock of a process that starts is off by, in milliseconds. */
  clockOffset: () => number;
  close: () => Promise<void>;
};

/** What invariants look at, which a real server leaves too. */
export type Evidence = Pick<World, "db" | "violated"> & {
  scheduler: Pick<Scheduler, "now">;
  receivers: Pick<Receivers, "receipts">;
};

/** What a call takes from those who send it: submissions by id, targets by URL. */
function withdrawnBy(name: string, args: unknown[], db: Database): string[] {
  switch (name) {
    case "submissions.mark":
    case "submissions.delete":
      return args[0] as string[];
    case "submissions.deleteAged":
      return args[1] as string[];
    case "submissions.purge":
      return (args[0] as { id: string }[]).map(({ id }) => id);
    case "apply":
      return (args[0] as readonly SetupChange[]).flatMap((each) => {
        if (each.change === "updateTarget") return [each.target.url];
        if (each.change !== "deleteTarget") return [];
        const row = db.query<{ url: string }, [string]>("SELECT url FROM targets WHERE id = ?").get(each.id);
        return row ? [row.url] : [];
      });
    default:
      return [];
  }
}

export type WorldOptions = { seed: number; file: string; servers: number; keepsLog: boolean };

/** Creates a world in which nothing runs yet. */
export function createWorld({ seed, file, servers, keepsLog }: WorldOptions): World {
  const scheduler = createScheduler(seed, keepsLog);
  const restoreThreads = replaceThreads((ms, label) => scheduler.sleep(ms, label, null));
  const files = createFiles();
  const receivers = createReceivers(scheduler);
  const db = new Database(file, { readonly: true });
  const stores: { close: () => Promise<void> }[] = [];
  const world: World = {
    seed,
    scheduler,
    receivers,
    files,
    faults: { database: NO_DATABASE_FAULTS, storage: 0, cutOff: new Set() },
    servers: [],
    start,
    violations: [],
    violated(text) {
      scheduler.note(`VIOLATION ${text}`);
      world.violations.push(`at ${scheduler.now()}: ${text}`);
    },
    db,
    troubleAt: -Infinity,
    troubled: () => void (world.troubleAt = Math.max(world.troubleAt, scheduler.now())),
    withdrawn: new Map(),
    enabled: new Map(),
    slowness: 1,
    staleness: servers > 1 ? 100 : 2,
    clockOffset: () => 0,
    async close() {
      db.close();
      // Closing waits until other processes have noticed the last change: there are none, and time is not simulated any more.
      setClock({ sleep: async () => {} });
      for (const store of stores) await store.close();
      restoreThreads();
      scheduler.close();
    },
  };
  let starts = 0;

  const leases = watchLeases({
    db,
    violated: world.violated,
    now: scheduler.now,
    withdrawn: (what) => world.withdrawn.get(what) ?? -Infinity,
  });
  const done = (holder: string) => (name: string, args: unknown[], result: unknown) => {
    if (name === "deliveries.turn")
      leases.afterTurn(holder, args[0] as OutboxTurn, result as ClaimedDelivery[]);
    if (name === "deliveries.retry") leases.retried(args[0] as string[]);
    for (const each of withdrawnBy(name, args, db)) world.withdrawn.set(each, scheduler.now());
    if (name === "apply")
      for (const each of args[0] as readonly SetupChange[])
        if (each.change === "updateTarget" && each.target.enabled)
          world.enabled.set(each.target.url, scheduler.now());
    if (name === "submissions.insert") {
      const [{ id, files: own }] = args as [StoredSubmission];
      if (own.length > 0 && (result as { kind: string }).kind === "stored") files.notes.delete(id);
    }
  };
  const begin = (holder: string) => (name: string, args: unknown[]) => {
    // What is deleted is known only before.
    for (const each of withdrawnBy(name, args, db)) world.withdrawn.set(each, scheduler.now());
    if (name === "deliveries.turn") leases.beforeTurn(holder, args[0] as OutboxTurn);
    if (name !== "submissions.insert") return;
    const [{ id, files: own }] = args as [StoredSubmission];
    if (own.length === 0) return;
    const note = files.notes.get(id);
    clearNote(files, id);
    if (note) files.notes.set(id, note);
  };

  async function start(slot: number, endsAfter = Infinity): Promise<void> {
    starts += 1;
    const process = createProcess(`s${slot}.${starts}`);
    process.offset = world.clockOffset();
    process.endsAfter = endsAfter;
    const holder = process.name;
    const death = Promise.withResolvers<void>();
    process.end = () => {
      process.isDead = true;
      world.troubled();
      death.resolve();
    };
    const started = scheduler.as(process, async () => {
      const store = openSimulatedStore({
        file,
        process,
        scheduler,
        faults: () => (world.faults.cutOff.has(slot) ? CUT_OFF : world.faults.database),
        staleness: world.staleness,
        begin: begin(holder),
        done: done(holder),
        troubled: world.troubled,
      });
      stores.push(store);
      store.deliveries.clock = async () => {
        await scheduler.sleep(scheduler.chance.int(4), "", process);
        return scheduler.now();
      };
      const now = () => scheduler.clockOf(process);
      const random = scheduler.chance.bytes;
      const report = (error: unknown) => {
        if (error instanceof AppError && error.code !== "invalid")
          scheduler.note(`reported ${error.message}`);
        else world.violated(`a bug: ${error instanceof Error ? error.stack : String(error)}`);
      };
      const app: App = connectAreas({
        store,
        watch: watchChanges(store, report),
        blobs: blobsOf(files, scheduler, process, () => world.faults.storage),
        notes: notesOf(files, scheduler, process, store.garbage),
        now,
        random,
        nextId: createIdSource(random, now),
        onQueued: () => {},
      });
      const newest = await store.submissions.newestId(endOfIds(now())).catch(() => null);
      app.nextId = createIdSource(random, now, newest);
      const outgoing = async () =>
        receivers.outgoingOf(process, (sending) => leases.sending(process, sending));
      const fileUrl = async (submission: string, position: number) => `/${submission}/${position}`;
      const outbox = createOutbox(
        app,
        {
          holder,
          outgoing,
          titleOf: titleOfContent,
          inWords: ruleInWords,
          files: {
            url: fileUrl,
            open: () => app.blobs.open(""),
            optIn: createOptInLinks(app, "https://forms.example"),
          },
          retryDelays: RETRY_DELAYS,
          report: {
            attempted: () => {},
            error: report,
            failed: () => {},
            tried: createFailureLog(now, (_, text) => scheduler.note(text)),
          },
        },
        () => jobs.wake("outbox"),
      );
      app.onQueued = outbox.wake;
      const running = { outbox, outgoing, note: scheduler.note, slowness: world.slowness };
      const [own, noteRead] = jobsOf(app, running);
      const jobs = startJobs(own, now, report);
      app.watch.onChange(() => jobs.wake());
      world.servers[slot] = {
        process,
        app,
        outbox,
        jobs,
        findForm: createFormFinder(app),
        findFlags: createFlagViews(app, async ({ records }) => {
          const entries = records.map(
            ({ slug, enabled, revision }) => [slug, { enabled, revision }] as const,
          );
          return new Map(entries);
        }),
        judge: createJudge(app, outgoing, fileUrl, (_, text) => scheduler.note(text)),
        services: servicesOf(app, await outgoing(), report, noteRead),
        killed: death.promise,
        kill: process.end,
      };
      scheduler.note("started");
    });
    await Promise.race([started, death.promise]);
  }
  return world;
}
