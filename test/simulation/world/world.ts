import { Database } from "bun:sqlite";
import type { App } from "../../../src/app.ts";
import { type Job, type Jobs, startJobs } from "../../../src/base/jobs.ts";
import { createIdSource, endOfIds } from "../../../src/base/ids.ts";
import { watchChanges } from "../../../src/base/watch.ts";
import { AppError } from "../../../src/base/errors.ts";
import { type Outbox, createOutbox } from "../../../src/delivery/outbox.ts";
import type { OutboxTurn, ClaimedDelivery } from "../../../src/delivery/store.ts";
import { scheduleJob } from "../../../src/flags/schedule/schedule.ts";
import { createFlagViews } from "../../../src/flags/reads/snapshots.ts";
import { createFormFinder } from "../../../src/forms/forms.ts";
import type { StoredSubmission } from "../../../src/forms/intake/insertion.ts";
import { expiryJob, removalJob } from "../../../src/forms/keeping/removal.ts";
import { type Files, blobsOf, clearNote, createFiles, notesOf } from "./files.ts";
import { type Receivers, type Sending, createReceivers } from "./receivers.ts";
import { type Process, type Scheduler, createProcess, createScheduler } from "./scheduler.ts";
import { type DatabaseFaults, NO_DATABASE_FAULTS, openSimulatedStore } from "./simulated-store.ts";

/** Seconds between attempts: the default of the product, 75 hours in all. */
const RETRY_DELAYS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** For how long what goes wrong explains that a lease has ended, in milliseconds: twice as long as a lease. */
const EXCUSED = 60_000;

type Faults = {
  database: DatabaseFaults;
  /** Once in so many calls of the storage; 0 for never. */
  storage: number;
};

/** A process of the product with all that it runs. */
export type Server = {
  process: Process;
  app: App;
  outbox: Outbox;
  jobs: Jobs;
  findForm: ReturnType<typeof createFormFinder>;
  /** What readers of the flags of an environment get, by slug. */
  findFlags: ReturnType<typeof createFlagViews<Map<string, { enabled: boolean; revision: number }>>>;
  /** Fulfils once it is killed. */
  killed: Promise<void>;
  kill: () => void;
};

export type World = {
  scheduler: Scheduler;
  receivers: Receivers;
  files: Files;
  faults: Faults;
  servers: Server[];
  start: (slot: number) => Promise<void>;
  /** What the product would log as a bug, and what must never be. */
  violations: string[];
  violated: (text: string) => void;
  /** A look at the data without a process between. */
  db: Database;
  /** When something last went wrong that excuses what is late, in virtual milliseconds. */
  troubleAt: number;
  troubled: () => void;
  /** When a delivery was last taken from those that wait, from outside: a target, a submission, a retry. */
  withdrawnAt: number;
  /** By how much jobs of what starts from now on are slower than they are. */
  slowness: number;
  close: () => Promise<void>;
};

export type WorldOptions = { seed: number; file: string; servers: number; keepsLog: boolean };

/** Creates a world in which nothing runs yet. */
export function createWorld({ seed, file, servers, keepsLog }: WorldOptions): World {
  const scheduler = createScheduler(seed, keepsLog);
  const files = createFiles();
  const receivers = createReceivers(scheduler);
  const db = new Database(file, { readonly: true });
  const stores: { close: () => Promise<void> }[] = [];
  const ended = new Set<string>();
  const ids = new Map<string, string>();
  const world: World = {
    scheduler,
    receivers,
    files,
    faults: { database: NO_DATABASE_FAULTS, storage: 0 },
    servers: [],
    start,
    violations: [],
    violated(text) {
      scheduler.note(`VIOLATION ${text}`);
      world.violations.push(`at ${scheduler.now()}: ${text}`);
    },
    db,
    troubleAt: -Infinity,
    troubled: () => void (world.troubleAt = scheduler.now()),
    withdrawnAt: -Infinity,
    slowness: 1,
    async close() {
      scheduler.close();
      db.close();
      for (const store of stores) await store.close();
    },
  };
  let starts = 0;

  const rowOf = db.query<{ status: number; holder: string | null }, [Uint8Array]>(
    "SELECT status, holder FROM deliveries WHERE id = ?",
  );
  /** A lease is held by the one who sends, what is sent was not ended before, and has one id for each recipient. */
  const began = (holder: string) => (sending: Sending) => {
    const { id, submission, url } = sending;
    const recipient = `${submission} ${url}`;
    if (ended.has(id)) world.violated(`${id} is sent although its result was recorded`);
    if (ids.has(recipient) && ids.get(recipient) !== id)
      world.violated(`${recipient} is sent as ${id} and as ${ids.get(recipient)}`);
    ids.set(recipient, id);
    const row = rowOf.get(Buffer.from(id.replaceAll("-", ""), "hex"));
    if (row?.status === 0 && row.holder === holder) return;
    // What is queued was taken from the sender: only its own trouble excuses that.
    const excuse = row?.status === 0 ? world.troubleAt : Math.max(world.troubleAt, world.withdrawnAt);
    if (scheduler.now() - excuse > EXCUSED)
      world.violated(`${id} is sent by ${holder}, and held as ${JSON.stringify(row)}`);
  };
  const done = (holder: string) => (name: string, args: unknown[], result: unknown) => {
    if (name === "deliveries.turn") {
      const [turn] = args as [OutboxTurn];
      for (const each of turn.settled) {
        const row = rowOf.get(Buffer.from(each.id.replaceAll("-", ""), "hex"));
        if (each.status === "delivered" && row?.status === 1) ended.add(each.id);
      }
      for (const { id } of result as ClaimedDelivery[])
        if (ended.has(id)) world.violated(`${id} is claimed by ${holder} although it has ended`);
    }
    if (name === "deliveries.retry" || name === "deliveries.retryFailed") ended.clear();
    if (name === "submissions.insert") {
      const [{ id, files: own }] = args as [StoredSubmission];
      if (own.length > 0 && (result as { kind: string }).kind === "stored") files.notes.delete(id);
    }
  };
  const begin = (name: string, args: unknown[]) => {
    if (name !== "submissions.insert") return;
    const [{ id, files: own }] = args as [StoredSubmission];
    if (own.length === 0) return;
    const note = files.notes.get(id);
    clearNote(files, id);
    if (note) files.notes.set(id, note);
  };

  async function start(slot: number): Promise<void> {
    starts += 1;
    const process = createProcess(`s${slot}.${starts}`);
    const holder = process.name;
    const death = Promise.withResolvers<void>();
    await scheduler.as(process, async () => {
      const store = openSimulatedStore({
        file,
        process,
        scheduler,
        faults: () => world.faults.database,
        staleness: servers > 1 ? 100 : 2,
        begin,
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
      const app: App = {
        store,
        watch: watchChanges(store, report),
        blobs: blobsOf(files, scheduler, process, () => world.faults.storage),
        notes: notesOf(files, scheduler, process, store.garbage),
        now,
        random,
        nextId: createIdSource(random, now),
        onQueued: () => {},
      };
      const newest = await store.submissions.newestId(endOfIds(now())).catch(() => null);
      app.nextId = createIdSource(random, now, newest);
      const outbox = createOutbox(
        app,
        {
          holder,
          outgoing: async () => receivers.outgoingOf(process, began(holder)),
          files: {
            url: async (submission, position) => `/${submission}/${position}`,
            open: () => app.blobs.open(""),
          },
          retryDelays: RETRY_DELAYS,
          report: { attempted: () => {}, error: report, failed: () => {} },
        },
        () => jobs.wake("outbox"),
      );
      app.onQueued = outbox.wake;
      const slower = (job: Job): Job => ({ ...job, every: job.every * world.slowness });
      const jobs = startJobs(
        [scheduleJob(app, (text) => scheduler.note(text)), outbox.job, removalJob(app), expiryJob(app)].map(
          slower,
        ),
        now,
        report,
      );
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
        killed: death.promise,
        kill() {
          process.isDead = true;
          death.resolve();
        },
      };
      scheduler.note("started");
    });
  }
  return world;
}
