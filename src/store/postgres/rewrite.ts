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

/**
 * Rewrites the tables with data of senders, and clears PostgreSQL's statistics of their values. Throws `forbidden` for
 * a role that does not own them, `unsupported` behind a pooler, `unavailable`.
 */
export async function rewriteTables(connections: Connections): Promise<void> {
  try {
    await connections.untimed(async (query) => {
      const { rows } = await query(MAY_REWRITE);
      // PostgreSQL would leave the tables out with a warning.
      if (rows[0]?.["may"] !== "true")
        throw new AppError("forbidden", "only a role that owns its tables may rewrite them", {
          reason: "purge-not-owner",
        });
      for (const table of REWRITTEN) {
        const { rows } = await query(FORGET_STATISTICS, [table]);
        await insist(query, String(rows[0]!["statement"]));
        await insist(query, `VACUUM (FULL, ANALYZE) ${table}`);
      }
      // Skipped with a warning, and left to autovacuum, for a role that does not own the database.
      await insist(query, "VACUUM (FULL) pg_statistic");
    });
  } catch (error) {
    throw postgresError(error);
  }
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
