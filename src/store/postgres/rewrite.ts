import { AppError } from "../../base/errors.ts";
import type { Connections } from "./connection.ts";

/** Tables that hold what people send, which a rewrite frees of what was deleted. */
const REWRITTEN = [
  "submissions",
  "files",
  "submission_terms",
  "submission_marks",
  "deliveries",
  "delivery_attempts",
];

const MAY_REWRITE = `SELECT (pg_has_role(relowner, 'USAGE') OR pg_has_role(datdba, 'USAGE'))::text AS may
  FROM pg_class, pg_database WHERE pg_class.oid = 'submissions'::regclass AND datname = current_database()`;

/** Rewrites the tables that hold what people send. Throws `forbidden` for a role that does not own them. */
export async function rewriteTables(connections: Connections): Promise<void> {
  // One connection, so that the setting holds for the statements behind it.
  const run = (text: string) => connections.query("dump", text, [], Infinity);
  const { rows } = await run(MAY_REWRITE);
  // PostgreSQL would leave the tables out with a warning.
  if (rows[0]?.["may"] !== "true")
    throw new AppError("forbidden", "only a role that owns its tables may rewrite them");
  await run("SET statement_timeout = 0");
  try {
    for (const table of REWRITTEN) await run(`VACUUM (FULL) ${table}`);
  } finally {
    await run("RESET statement_timeout");
  }
}
