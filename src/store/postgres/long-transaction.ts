import type { Connections, Query } from "./connection.ts";
import { postgresError } from "./errors.ts";

/** Milliseconds for a statement that reads or changes everything. */
const WHOLE_DEADLINE_MS = 600_000;

/** Milliseconds for a statement that reads one page. */
const PAGE_DEADLINE_MS = 60_000;

/**
 * Kinds of long transactions: changes that may concern all rows, a check of all rows, or a dump of one page after
 * another.
 */
const KINDS = {
  change: { options: "ISOLATION LEVEL READ COMMITTED", pool: "transactions", deadline: WHOLE_DEADLINE_MS },
  check: {
    options: "ISOLATION LEVEL REPEATABLE READ READ ONLY",
    pool: "dump",
    deadline: WHOLE_DEADLINE_MS,
  },
  dump: { options: "ISOLATION LEVEL REPEATABLE READ READ ONLY", pool: "dump", deadline: PAGE_DEADLINE_MS },
} as const;

/**
 * Runs a transaction that may take long and wait for its caller between two statements. It is not repeated. Throws
 * `conflict` and `unavailable`, and what the caller throws.
 */
export async function transactLong<T>(
  connections: Connections,
  kind: keyof typeof KINDS,
  body: (query: Query) => Promise<T>,
): Promise<T> {
  const { options, ...settings } = KINDS[kind];
  const run = async (query: Query) => {
    // The deadline of this process holds instead.
    await query("SET LOCAL statement_timeout = 0");
    // The server ends what a machine that is gone has left, but not what waits for a slow disk or network.
    await query("SET LOCAL idle_in_transaction_session_timeout = '1h'");
    return body(query);
  };
  try {
    return await connections.transaction(options, run, settings);
  } catch (error) {
    throw postgresError(error);
  }
}
