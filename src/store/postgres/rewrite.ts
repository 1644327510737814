import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Connections, Query } from "./connection.ts";
import { isRepeatable, postgresError } from "./errors.ts";

/** Tables that hold what people send, and hashes of it, which a rewrite frees of what was deleted. */
const REWRITTEN = [
  "submissions",
  "files",
  "submission_terms",
  "submission_marks",
  "submission_events",
  "deliveries",
  "delivery_attempts",
  "idempotency_keys",
  "autoreplies",
  "confirmations",
];

const MAY_REWRITE = `SELECT pg_has_role(relowner, 'USAGE')::text AS may
  FROM pg_class WHERE oid = 'submissions'::regclass`;

/**
 * Gives each column of a table with texts, ids or hashes the type that it has, which forgets its statistics. They hold the most frequent
 * values, which ANALYZE keeps as they are if the table is empty.
 */
const FORGET_STATISTICS = `SELECT format('ALTER TABLE %I %s', $1::text, string_agg(
    format('ALTER %I TYPE %s', attname, format_type(atttypid, atttypmod)) ||
    coalesce(' COLLATE ' || quote_ident(nspname) || '.' || quote_ident(collname), ''), ', ')) AS statement
  FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_namespace ON pg_namespace.oid = collnamespace
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
    AND atttypid IN ('text'::regtype, 'tsvector'::regtype, 'bytea'::regtype)`;

/** How often a statement is sent again that PostgreSQL ended to resolve a deadlock: with an insert, or another rewrite. */
const MAX_REPEATS = 20;

/** Milliseconds for which a rewrite waits for transactions that may still see what was deleted. */
const OLDER_TRANSACTIONS_MS = 10_000;

const OLDER_TRANSACTIONS = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
  AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND age(backend_xmin) > age($1::xid)`;

/**
 * Rewrites the tables with data of senders, and clears PostgreSQL's statistics of their values. Throws `forbidden` for
 * a role that does not own them, `unsupported` behind a pooler, `unavailable`, also for as long as a transaction of the
 * database, such as a backup, sees what was deleted.
 */
export async function rewriteTables(
  connections: Connections,
  patience = OLDER_TRANSACTIONS_MS,
): Promise<void> {
  try {
    await connections.untimed(async (query) => {
      const { rows } = await query(MAY_REWRITE);
      // PostgreSQL would leave the tables out with a warning.
      if (rows[0]?.["may"] !== "true")
        throw new AppError("forbidden", "only a role that owns its tables may rewrite them", {
          reason: "purge-not-owner",
        });
      await outlastOlderTransactions(query, patience);
      for (const table of REWRITTEN) {
        const { rows } = await query(FORGET_STATISTICS, [table]);
        await insist(query, String(rows[0]!["statement"]));
        await rewrite(query, table, "FULL, ANALYZE");
      }
      // Skipped with a warning, and left to autovacuum, for a role that does not own the database.
      await rewrite(query, "pg_statistic", "FULL");
    });
  } catch (error) {
    throw postgresError(error);
  }
}

async function outlastOlderTransactions(query: Query, patience: number): Promise<void> {
  const { rows } = await query("SELECT pg_current_xact_id()::xid::text AS xid");
  for (const end = clock.steady() + patience; ; await clock.sleep(50)) {
    const older = await query(OLDER_TRANSACTIONS, [String(rows[0]!["xid"])]);
    if (older.rows.length === 0) return;
    if (clock.steady() > end)
      throw new AppError(
        "unavailable",
        "an older transaction is open on the database server, such as a backup",
      );
  }
}

/** FULL alone keeps rows that were deleted since the oldest transaction of any database of the server began to write. */
async function rewrite(query: Query, table: string, options: string): Promise<void> {
  await insist(query, `VACUUM (INDEX_CLEANUP off) ${table}`);
  await insist(query, `VACUUM (${options}) ${table}`);
}

async function insist(query: Query, statement: string): Promise<void> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      await query(statement);
      return;
    } catch (error) {
      if (repeats === MAX_REPEATS || !isRepeatable(error)) throw error;
    }
  }
}
