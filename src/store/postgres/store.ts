import { clock } from "../../base/clock.ts";
import type { Store } from "../../app.ts";
import type { Versions } from "../../base/changes.ts";
import { addLazily } from "../../base/once.ts";
import { AppError } from "../../base/errors.ts";
import type { Notes } from "../../blobs/notes.ts";
import { POSTGRES_STALENESS_MS } from "../limits.ts";
import { MEMBERSHIPS, readActivity } from "../sql/version.ts";
import { noticingMembers } from "../noticing-members.ts";
import { clearExpired } from "../sql/submissions/intake.ts";
import { applyChanges } from "../sql/apply.ts";
import { writesOf } from "../sql/bind.ts";
import { SLICES, sharedSlices } from "../sql/slices.ts";
import { submissionSlice } from "../sql/submissions/slice.ts";
import { type Work, all, only } from "../sql/work.ts";
import { checkDatabase } from "./check.ts";
import { createConnections } from "./connection.ts";
import { type DatabaseAddress, describeDatabase } from "./database-url.ts";
import { dumpDatabase } from "./copies/dump.ts";
import { isOutcomeUnknown, startError } from "./errors.ts";
import { fillDatabase } from "./copies/fill.ts";
import { createIntake } from "./intake.ts";
import { MIGRATIONS, type Migrate, migrate } from "./migrate.ts";
import { forgetNothing, movingStore, requireLive, targetError } from "./copies/moving.ts";
import { createNotes } from "./notes.ts";
import { rewriteTables } from "./rewrite.ts";
import { type Units, createUnits } from "./run.ts";
import { createServers } from "./servers.ts";
import { clearShared, createShared } from "./shared.ts";
import { findHits, indexBacklog, updateIndex } from "./search.ts";
import { createWithdrawals } from "./withdrawals.ts";
import type { Arrival } from "../../forms/inbox/scan.ts";
import { listLastArrivals } from "../sql/submissions/order.ts";

/** Milliseconds between two looks at what is under way, and of all of them: no statement of a request takes longer. */
const LOOK_MS = 5;
const DEADLINE_MS = 10_000;

/** The transactions of this database that are writing submissions. */
function listWriters(): Work<{ writer: string }[]> {
  return all<{ writer: string }>(
    `SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
     WHERE relation = CAST('submissions' AS REGCLASS) AND mode = 'RowExclusiveLock' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
}

/**
 * The last submissions that arrived. Waits until every transaction has ended that may have taken a smaller place
 * without committing, because a place is taken before the commit, for example in a long import. Throws `unavailable` if
 * one does not end.
 */
async function lastArrivals({ read }: Pick<Units, "read">, limit: number): Promise<Arrival[]> {
  const found = await read(() => listLastArrivals(limit));
  const writers = async () => (await read(listWriters)).map(({ writer }) => writer);
  const deadline = clock.steady() + DEADLINE_MS;
  let left = new Set(await writers());
  while (left.size > 0) {
    if (clock.steady() > deadline)
      throw new AppError("unavailable", "a change of submissions that takes long is under way", {
        hint: "try again once it has ended",
        retryAfter: 10,
      });
    await clock.sleep(LOOK_MS);
    left = left.intersection(new Set(await writers()));
  }
  return found;
}

export type PostgresStore = Store & { notes: Notes };

const SUBMISSIONS = submissionSlice(findHits, forgetNothing);
const findWrite = writesOf({ ...SLICES, submissions: () => SUBMISSIONS });

type Options = {
  migrate?: Migrate;
  /** Called once another process has migrated the database to a schema beside which this one cannot go on. */
  onNewerSchema?: () => void;
  /** Called while the database is the target of a move or a restore, which has begun after it was opened. */
  onMoving?: () => void;
  /** Whether the target of a move or a restore that is not finished is opened too, to go on with it. */
  opensTarget?: boolean;
  /** Whether one connection does everything but dumps: for a command. */
  isSingle?: boolean;
  /** Is given what the operator has to know. */
  report?: (error: unknown) => void;
  /** Receives what was done to the database. */
  note?: ((text: string) => void) | undefined;
  /** Milliseconds for which a version is trusted: the same in all processes of the database. */
  staleness?: number;
  /** Makes the connections, which a simulation holds. */
  connect?: typeof createConnections;
};

/**
 * Opens the store in a database of PostgreSQL, and migrates it. Throws as `migrate` does, and `unavailable` for the target of a
 * move that is not finished.
 */
export async function openPostgresStore(
  address: DatabaseAddress,
  {
    migrate: when = "auto",
    onNewerSchema = () => {},
    onMoving = () => {},
    opensTarget = false,
    isSingle = false,
    report = () => {},
    note,
    staleness = POSTGRES_STALENESS_MS,
    connect = createConnections,
  }: Options = {},
): Promise<PostgresStore> {
  const connections = connect(address, isSingle);
  const place = describeDatabase(address);
  const units = createUnits(connections);
  try {
    const from = await migrate(connections, place, when);
    if (from !== null) note?.(`migrated the database from schema ${from} to ${MIGRATIONS.length}`);
    if (!opensTarget) await units.read(() => requireLive(place));
  } catch (error) {
    await connections.close();
    throw startError(error, place);
  }
  const watchers: (() => void)[] = [];
  const withdrawals = createWithdrawals(units, report);
  /** Whether a move fills the database: what others write now would be lost, or be there twice. */
  let isTaken = false;
  const refuseTaken = () => {
    if (isTaken) throw targetError("the database");
  };
  const intake = createIntake(connections, withdrawals.add, report);

  /** Waits after a commit, or a possible one, until every replica's cached version has expired. */
  const settle = async () => {
    for (const changed of watchers) changed();
    await clock.sleep(staleness + 1);
  };

  let [members, membersAt] = [-1, Number.NEGATIVE_INFINITY];
  /** Waits behind a change of members, as {@link settle} does, whichever process made it. */
  const noticeMembers = async () => {
    const { memberships } = await units.version(readVersionsAndMeta);
    if (memberships !== members) {
      [members, membersAt] = [memberships, clock.steady()];
      for (const changed of watchers) changed();
    }
    const left = membersAt + staleness + 1 - clock.steady();
    if (left > 0) await clock.sleep(left);
  };

  const timed = async <T>(write: () => Promise<T>): Promise<T> => {
    refuseTaken();
    const start = clock.steady();
    const result = await write();
    intake.commits.add(start, 1);
    return result;
  };
  const slices = sharedSlices(
    {
      read: units.read,
      readInTurns: units.read,
      readAtOnce: units.readAtOnce,
      write: (name, args) => timed(() => units.write(() => findWrite(name)!(...args))),
    },
    () => SUBMISSIONS,
  );
  const submissions = (): PostgresStore["submissions"] => ({
    ...noticingMembers(slices.submissions(), noticeMembers),
    async insert(...args) {
      refuseTaken();
      const insertion = await intake.insert(...args);
      if (insertion.kind === "stored" && insertion.fills === true) await settle();
      return insertion;
    },
    clearExpired: (now, limit) =>
      units.write(function* () {
        const isLeft = yield* clearShared(now, limit);
        return (yield* clearExpired(now, limit)) || isLeft;
      }),
    lastArrivals: (limit) => lastArrivals(units, limit),
    updateIndex: () => units.write(updateIndex),
    indexBacklog: () => units.read(indexBacklog),
    rewrite: () => rewriteTables(connections),
  });
  const itself = {
    notes: createNotes(units),
    shared: createShared(units),
    servers: createServers(units, connections),
    async apply(changes, version, by) {
      try {
        const isApplied = await timed(() => units.writeSetup(() => applyChanges(changes, version, by)));
        if (!isApplied) {
          throw new AppError("conflict", "another change was applied first: try again", {
            reason: "outdated",
          });
        }
      } catch (error) {
        if (isOutcomeUnknown(error)) await settle();
        throw error;
      }
      await settle();
    },
    async readVersion() {
      const { schema, live, beside, stamps, ...versions } = await units.version(readVersionsAndMeta);
      if (schema > MIGRATIONS.length + beside) onNewerSchema();
      isTaken = live === 0 && !opensTarget;
      if (isTaken) onMoving();
      return { ...versions, stamps: stamps.split(" ") };
    },
    staleness,
    watch: (changed) => void watchers.push(changed),
    activity: () => units.read(readActivity),
    // The connection that reads versions, which the first read and the first change would wait for.
    opened: async () => void (await units.version(readVersionsAndMeta)),
    ping: async () => void (await units.version(readVersionsAndMeta)),
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
    moving: async () => movingStore(connections, units, staleness),
    async close() {
      await intake.close();
      await withdrawals.close();
      await connections.close();
    },
  } satisfies Partial<PostgresStore>;
  return addLazily(itself, { ...slices, submissions });
}

type VersionsAndMeta = Required<Pick<Versions, "version" | "access" | "memberships">> & {
  stamps: string;
  schema: number;
  live: number;
  /** How many schemas a replica may be behind that goes on. */
  beside: number;
};

function readVersionsAndMeta(): Work<VersionsAndMeta> {
  return only(
    `SELECT version, access, ${MEMBERSHIPS}, array_to_string(stamps, ' ') AS stamps, schema, live, beside
     FROM setup_version CROSS JOIN formflag_meta`,
  );
}
