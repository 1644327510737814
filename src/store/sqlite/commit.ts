import { type Database, SQLiteError } from "bun:sqlite";
import { AppError, type ErrorCode } from "../../base/errors.ts";
import { applyChanges } from "./apply.ts";
import { sqliteError } from "./errors.ts";
import { markRead } from "./reads.ts";
import { query } from "./statements.ts";
import { clearDeleted, deleteSubmission, forgetLoose, insertSubmission } from "./submissions.ts";
import { currentVersion, setVersion } from "./version.ts";

/** Every operation that writes, by name, so that it can be asked for across threads. */
const WRITES = {
  apply: applyChanges,
  markRead,
  insertSubmission,
  deleteSubmission,
  clearDeleted,
  forgetLoose,
  probe: (_db: Database) => {},
};

type Writes = typeof WRITES;
export type WriteName = keyof Writes;
export type WriteArgs<N extends WriteName> =
  Parameters<Writes[N]> extends [Database, ...infer Rest] ? Rest : never;
export type WriteResult<N extends WriteName> = ReturnType<Writes[N]>;

/** A write as it travels to the thread that commits. */
export type Write = { name: WriteName; args: unknown[] };

/** What became of a write, as it travels back: errors lose their class on the way. */
export type Outcome =
  | { ok: true; value: unknown }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      reason: string | null;
      hint: string | null;
      retryAfter: number | null;
    }
  | { ok: false; code: "bug"; message: string };

/**
 * Does the writes in one transaction with one fsync; one that fails takes back only what it did itself. Only where one
 * fails is the transaction done again with a savepoint around each, which would slow every other:
 * `npm run bench -- submissions`.
 */
export function commit(db: Database, writes: Write[]): Outcome[] {
  const ways = writes.length === 1 ? [perform] : [perform, attempt];
  let failed: unknown;
  for (const each of ways) {
    try {
      query(db, "BEGIN IMMEDIATE").run();
    } catch (error) {
      return writes.map(() => failure(error));
    }
    try {
      const outcomes = writes.map((write) => each(db, write));
      query(db, "COMMIT").run();
      return outcomes;
    } catch (error) {
      if (db.inTransaction) db.run("ROLLBACK");
      failed = error;
    }
  }
  if (isOfTheDisk(failed)) overwriteRefused(db);
  return writes.map(() => failure(failed));
}

function isOfTheDisk(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(IOERR|FULL)/.test(error.code ?? "");
}

/**
 * A transaction that could not be synced stands in the write-ahead log all the same, and a crash would bring it back:
 * the next one is written over it.
 */
function overwriteRefused(db: Database): void {
  try {
    setVersion(db, currentVersion(db) + 1);
  } catch (error) {
    // The disk still fails to sync; what was to be overwritten is overwritten before that is known.
    if (!isOfTheDisk(error)) throw error;
  }
}

function perform(db: Database, { name, args }: Write): Outcome {
  const write = WRITES[name] as (db: Database, ...args: unknown[]) => unknown;
  return { ok: true, value: write(db, ...args) };
}

function attempt(db: Database, write: Write): Outcome {
  query(db, "SAVEPOINT write").run();
  try {
    const outcome = perform(db, write);
    query(db, "RELEASE write").run();
    return outcome;
  } catch (error) {
    // Without a transaction SQLite has taken back the others too: a full disk, an I/O error.
    if (!db.inTransaction) throw error;
    db.run("ROLLBACK TO write");
    query(db, "RELEASE write").run();
    return failure(error);
  }
}

function failure(error: unknown): Outcome {
  const known = sqliteError(error);
  if (known instanceof AppError) {
    const { code, message, reason, hint, retryAfter } = known;
    return { ok: false, code, message, reason, hint, retryAfter };
  }
  return {
    ok: false,
    code: "bug",
    message: known instanceof Error ? (known.stack ?? known.message) : String(known),
  };
}

/** The value of an outcome, or a promise that rejects with what the write threw. */
export function resultOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  if (outcome.code === "bug") return Promise.reject(new Error(outcome.message));
  const { code, message, reason, hint, retryAfter } = outcome;
  return Promise.reject(
    new AppError(code, message, {
      reason: reason ?? undefined,
      hint: hint ?? undefined,
      retryAfter: retryAfter ?? undefined,
    }),
  );
}
