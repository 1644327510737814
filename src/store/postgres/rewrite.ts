import { AppError } from "../../base/errors.ts";
import type { Connections } from "./connection.ts";
import { postgresError } from "./errors.ts";

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

/**
 * Rewrites the tables that hold what people send. Throws `forbidden` for a role that does not own them, `unsupported` behind
 * a pooler, `unavailable`.
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
      for (const table of REWRITTEN) await query(`VACUUM (FULL) ${table}`);
    });
  } catch (error) {
    throw postgresError(error);
  }
}
