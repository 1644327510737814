import type { Store } from "../../app.ts";
import type { Look } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import type { Notes } from "../../blobs/notes.ts";
import { POSTGRES_STALENESS_MS } from "../limits.ts";
import { accessSlices } from "../sql/access-slices.ts";
import { readActivity } from "../sql/activity.ts";
import { deliverySlices } from "../sql/delivery-slices.ts";
import { flagSlices } from "../sql/flag-slices.ts";
import { formSlices } from "../sql/form-slices.ts";
import { clearExpired } from "../sql/intake.ts";
import { deleteSubmissions } from "../sql/removals.ts";
import { setupSlices } from "../sql/setup-slices.ts";
import { submissionSlice } from "../sql/submission-slices.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { type Work, only } from "../sql/work.ts";
import { type Runner, WRITES as SHARED, removals } from "../sql/writes.ts";
import { checkDatabase } from "./check.ts";
import { createConnections } from "./connection.ts";
import { type DatabaseAddress, describeDatabase } from "./database-url.ts";
import { dumpDatabase } from "./dump.ts";
import { startError } from "./errors.ts";
import { fillDatabase } from "./fill.ts";
import { createIntake } from "./intake.ts";
import { MIGRATIONS, type Migrate, migrate } from "./migrate.ts";
import { forgetNothing, movingStore, requireLive } from "./moving.ts";
import { createNotes } from "./notes.ts";
import { createUnits } from "./run.ts";
import { clearShared, createShared } from "./shared.ts";
import { findHits, indexBacklog, updateIndex } from "./search.ts";

export type PostgresStore = Store & { notes: Notes };

const WRITES = { ...SHARED, ...removals(forgetNothing) };

/** Milliseconds between two attempts to withdraw submissions. */
const WITHDRAWAL_MS = 1000;

/** Tables that hold what people send, which a rewrite frees of what was deleted. */
const REWRITTEN = [
  "submissions",
  "files",
  "submission_terms",
  "submission_marks",
  "deliveries",
  "delivery_attempts",
];

type Options = {
  migrate?: Migrate;
  /** Called once another process has migrated the database to a schema that this one does not know. */
  onNewerSchema?: () => void;
  /** Whether the target of a move or a restore that is not finished is opened too: by the one that goes on with it. */
  opensTarget?: boolean;
};

/**
 * Opens the store in a database of PostgreSQL, and migrates it. Throws as `migrate` does, and `unavailable` for the target of a
 * move that is not finished.
 */
export async function openPostgresStore(
  address: DatabaseAddress,
  { migrate: when = "auto", onNewerSchema = () => {}, opensTarget = false }: Options = {},
): Promise<PostgresStore> {
  const connections = createConnections(address);
  const place = describeDatabase(address);
  const units = createUnits(connections);
  try {
    await migrate(connections, place, when);
    if (!opensTarget) await units.read(() => requireLive(place));
  } catch (error) {
    await connections.close();
    throw startError(error, place);
  }
  const watchers: (() => void)[] = [];
  const closing = new AbortController();

  const withdraw = async (ids: string[]) => {
    while (!closing.signal.aborted) {
      try {
        await units.write(() => deleteSubmissions(forgetNothing, ids, SUBMISSION_STATES));
        return;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        await Bun.sleep(WITHDRAWAL_MS);
      }
    }
  };
  const intake = createIntake(connections, (ids) => void withdraw(ids));

  const runner: Runner = {
    read: units.read,
    readAtOnce: units.readAtOnce,
    async write(name, args) {
      const work = WRITES[name] as (...args: unknown[]) => Work<never>;
      const start = performance.now();
      const result = await (name === "apply" ? units.writeSetup : units.write)(() => work(...args));
      intake.commits.add(start, 1);
      return result;
    },
  };
  return {
    ...setupSlices(runner),
    ...flagSlices(runner),
    ...accessSlices(runner),
    ...formSlices(runner),
    ...deliverySlices(runner),
    notes: createNotes(units),
    shared: createShared(units),
    submissions: {
      ...submissionSlice(runner, findHits),
      insert: intake.insert,
      clearExpired: (now, limit) =>
        units.write(function* () {
          const isLeft = yield* clearShared(now, limit);
          return (yield* clearExpired(now, limit)) || isLeft;
        }),
      updateIndex: () => units.write(updateIndex),
      indexBacklog: () => units.read(indexBacklog),
      async rewrite() {
        // One connection, so that the setting holds for the statements behind it.
        const run = (text: string) => connections.query("dump", text, [], Infinity);
        await run("SET statement_timeout = 0");
        try {
          for (const table of REWRITTEN) await run(`VACUUM (FULL) ${table}`);
        } finally {
          await run("RESET statement_timeout");
        }
      },
    },
    async apply(changes, version, by) {
      const isApplied = await runner.write("apply", [changes, version, by]);
      if (!isApplied) {
        throw new AppError("conflict", "another change was applied first: try again", { reason: "outdated" });
      }
      for (const changed of watchers) changed();
      // No replica trusts a look from before the commit any more.
      await Bun.sleep(POSTGRES_STALENESS_MS + 1);
    },
    async look() {
      const { schema, ...look } = await units.look(readLookAndSchema);
      if (schema > MIGRATIONS.length) onNewerSchema();
      return look;
    },
    staleness: POSTGRES_STALENESS_MS,
    watch: (changed) => void watchers.push(changed),
    activity: () => runner.read(readActivity),
    opened: async () => {},
    ping: async () => void (await units.look(readLookAndSchema)),
    async ready() {
      const { read_only: readOnly } = await units.read(() =>
        only<{ read_only: string }>("SELECT current_setting('transaction_read_only') AS read_only"),
      );
      if (readOnly === "on") {
        throw new AppError("unavailable", "the database is read-only", {
          reason: "database-read-only",
          retryAfter: 1,
        });
      }
    },
    async stats() {
      const { bytes } = await units.read(() =>
        only<{ bytes: number }>("SELECT pg_database_size(current_database()) AS bytes"),
      );
      return { ...intake.queued(), ...intake.commits.stats, bytes };
    },
    check: () => checkDatabase(connections),
    dump: (progress) => dumpDatabase(connections, progress),
    fill: (dump) => fillDatabase(connections, dump),
    moving: movingStore(connections, units),
    async close() {
      await intake.close();
      closing.abort();
      await connections.close();
    },
  };
}

function readLookAndSchema(): Work<Look & { schema: number }> {
  return only("SELECT version, access, (SELECT schema FROM formflag_meta) AS schema FROM setup_version");
}
