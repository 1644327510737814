import { lazy } from "../../base/once.ts";
import { own } from "../../base/shapes/own.ts";
import { type Database, SQLiteError } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import type { SetupChange } from "../../documents/setup.ts";
import { type Outcome, failureOf } from "../outcome.ts";
import { sqliteError } from "./errors.ts";
import type * as Insert from "./insert.ts";
import { COUNT, TAKE, type Write, measures, standsAlone } from "./pack.ts";
import type * as Rewrite from "./rewrite.ts";
import type * as Index from "./search-index.ts";
import { query } from "./statements.ts";
import type { MeasuredBatch } from "../../experiments/measurement.ts";
import { folderOf } from "../../forms/intake/insertion.ts";
import type { Measured } from "../../forms/intake/measured.ts";
import type * as Batches from "../sql/experiments/batches.ts";
import type * as Counting from "../sql/experiments/counting.ts";
import type * as Apply from "../sql/apply.ts";
import { type Uncounted, createUncounted } from "../sql/submissions/counts.ts";
import { currentVersion, setVersion } from "../sql/version.ts";
import { writesOf } from "../sql/bind.ts";
import { SLICES } from "../sql/slices.ts";
import { garbage } from "../sql/submissions/files.ts";
import type * as Slice from "../sql/submissions/slice.ts";
import { runWork } from "./run.ts";

/** Code that only some writes need, each loaded with the first of them. */
const inserts = lazy(() => require("./insert.ts") as typeof Insert);
const index = () => require("./search-index.ts") as typeof Index;
const applyChanges: typeof Apply.applyChanges = (...args) =>
  (require("../sql/apply.ts") as typeof Apply).applyChanges(...args);

const findShared = writesOf({
  ...SLICES,
  garbage: () => garbage,
  submissions: () => {
    const { submissionWrites } = require("../sql/submissions/slice.ts") as typeof Slice;
    return { writes: submissionWrites(index().queueRemovals) };
  },
});

/** The operations that write and that only this database has, by a name that can be sent to another thread. */
const WRITES = {
  insertSubmission: (...args: Parameters<typeof Insert.insertSubmission>) =>
    inserts().insertSubmission(...args),
  updateIndex: (db: Database) => index().updateIndex(db),
  rewriteFile: (db: Database) => (require("./rewrite.ts") as typeof Rewrite).rewriteFile(db),
  apply: (db: Database, changes: readonly SetupChange[], version: number, by: Author) =>
    runWork(db, applyChanges(changes, version, by)),
  /** Many changes, each text a list of some: objects would be copied to the thread at once, which takes longest. */
  applyTexts: (db: Database, texts: string[], version: number, by: Author) =>
    runWork(
      db,
      applyChanges(
        texts.flatMap((text) => JSON.parse(text) as SetupChange[]),
        version,
        by,
      ),
    ),
  probe: (_db: Database) => {},
};

type Writes = typeof WRITES;
export type WriteName = keyof Writes;
export type WriteArgs<N extends WriteName> =
  Parameters<Writes[N]> extends [Database, ...infer Rest] ? Rest : never;
export type WriteResult<N extends WriteName> = ReturnType<Writes[N]>;

/**
 * Commits the writes in one transaction with one fsync. If a write fails, only that write is rolled back: the
 * transaction is repeated with a savepoint around each write. Savepoints by default would slow down every commit: `npm
 * run bench -- submissions`.
 */
export function commit(db: Database, writes: Write[]): Outcome[] {
  if (writes.some(standsAlone)) return writes.map((write) => performAlone(db, write));
  const attempts = writes.length === 1 ? [perform] : [perform, performInSavepoint];
  let failed: unknown;
  for (const each of attempts) {
    try {
      query(db, "BEGIN IMMEDIATE").run();
    } catch (error) {
      return writes.map(() => failure(error));
    }
    try {
      const outcomes = performAndCount(db, writes, each);
      query(db, "COMMIT").run();
      return outcomes;
    } catch (error) {
      if (db.inTransaction) db.run("ROLLBACK");
      failed = error;
    }
  }
  if (isDiskError(failed)) overwriteFailed(db);
  return writes.map(() => failure(failed));
}

/**
 * Performs writes and counts the submissions that they insert and the visitors that they measure: once for all, because each
 * count costs as much as a row.
 */
function performAndCount(db: Database, writes: Write[], each: typeof perform): Outcome[] {
  const uncounted = createUncounted();
  let measured: Measured[] = [];
  const count = () => {
    runWork(db, uncounted.count());
    if (measured.length > 0) {
      const { countMeasured } = require("../sql/experiments/counting.ts") as typeof Counting;
      runWork(db, countMeasured(measured));
    }
    measured = [];
  };
  const outcomes = writes.map((write) => {
    // Later writes may delete, mark or count what the same transaction has stored: bring the counts up to date first.
    if (!isCountedLater(write)) count();
    const before = measured.length;
    const outcome = each(db, write, measured);
    if (!outcome.ok) measured.length = before;
    else if (write.name === "insertSubmission") addInserted(uncounted, measured, write, outcome);
    return outcome;
  });
  count();
  return outcomes;
}

function isCountedLater(write: Write): boolean {
  if (write.name === "insertSubmission") return !dependsOnCounts(write);
  return measures(write);
}

function dependsOnCounts({ args }: Write): boolean {
  const [, , , , , conditions] = args as WriteArgs<"insertSubmission">;
  return conditions !== null && (conditions.maxSubmissions !== null || conditions.quota != null);
}

function addInserted(
  uncounted: Uncounted,
  measured: Measured[],
  { args }: Write,
  { value }: Outcome & { ok: true },
): void {
  const [, formKey, , createdAt, , , , , , conversions] = args as WriteArgs<"insertSubmission">;
  const insertion = value as WriteResult<"insertSubmission">;
  if (insertion !== undefined && insertion.kind !== "stored") return;
  const folder = insertion === undefined ? "inbox" : folderOf(insertion);
  uncounted.add(formKey, folder, true, createdAt);
  if (folder === "inbox" && conversions !== null) addAll(measured, conversions);
}

/** As `push`, which fails for very many. */
function addAll<T>(list: T[], more: readonly T[]): void {
  for (const each of more) list.push(each);
}

function isDiskError(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(IOERR|FULL)/.test(error.code ?? "");
}

/**
 * Overwrites a transaction that could not be synced: it is still in the write-ahead log, and a crash would restore it,
 * although its callers were told that it failed.
 */
function overwriteFailed(db: Database): void {
  try {
    runWork(db, setVersion(runWork(db, currentVersion()) + 1, true));
  } catch (error) {
    // The sync failed again, but the write before it has replaced the failed transaction.
    if (!isDiskError(error)) throw error;
  }
}

/** Performs a write, but adds the visitors to count to `measured`. */
function perform(db: Database, { name, args }: Write, measured: Measured[]): Outcome {
  if (name === COUNT) {
    addAll(measured, args[0] as readonly Measured[]);
    return { ok: true, value: undefined };
  }
  if (name === TAKE) {
    const { takeBatch } = require("../sql/experiments/batches.ts") as typeof Batches;
    const { measured: counted, ...taken } = runWork(db, takeBatch(args[0] as MeasuredBatch));
    addAll(measured, counted);
    return { ok: true, value: taken };
  }
  const shared = findShared(name);
  if (shared) return { ok: true, value: runWork(db, shared(...args)) };
  const write = own(WRITES, name) as (db: Database, ...args: unknown[]) => unknown;
  return { ok: true, value: write(db, ...args) };
}

function performAlone(db: Database, write: Write): Outcome {
  try {
    return perform(db, write, []);
  } catch (error) {
    return failure(error);
  }
}

function performInSavepoint(db: Database, write: Write, measured: Measured[]): Outcome {
  query(db, "SAVEPOINT write").run();
  try {
    const outcome = perform(db, write, measured);
    query(db, "RELEASE write").run();
    return outcome;
  } catch (error) {
    // SQLite has rolled back the whole transaction: a full disk, an I/O error.
    if (!db.inTransaction) throw error;
    db.run("ROLLBACK TO write");
    query(db, "RELEASE write").run();
    return failure(error);
  }
}

/** The outcome of a write that failed with an error. */
export function failure(error: unknown): Outcome {
  return failureOf(sqliteError(error));
}
