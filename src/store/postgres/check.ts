import { type Work, all, first } from "../sql/work.ts";
import type { Connections } from "./connection.ts";
import { NUMBERED } from "./copies/fill.ts";
import { transactLong } from "./long-transaction.ts";
import { runWork } from "./run.ts";

/**
 * Problems of a database as messages, as of one moment: disabled or unknown triggers, unvalidated constraints, invalid
 * indexes, rows that refer to missing rows, revisions of the future, sequences behind their rows. Reads every reference.
 * The server detects damaged pages: at each read if it has checksums, and with its program `pg_amcheck`.
 */
export function checkDatabase(connections: Connections): Promise<string[]> {
  return transactLong(connections, "check", (query) => runWork(query, findProblems()));
}

function* findProblems(): Work<string[]> {
  const problems: string[] = [];
  for (const { message } of yield* all<{ message: string }>(UNWATCHED)) problems.push(message);
  for (const reference of yield* all<Reference>(REFERENCES))
    problems.push(...(yield* findOrphans(reference)));
  for (const table of REVISED) problems.push(...(yield* findLaterRevisions(table)));
  for (const table of NUMBERED) problems.push(...(yield* findTakenNumbers(table)));
  return problems;
}

const OURS = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())";

/** Triggers that are switched off or unknown, constraints that were never checked, indexes that are not in use. */
const UNWATCHED = `
  SELECT 'trigger ' || t.tgname || ' of ' || c.relname || ' is switched off' AS message
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = ${OURS} AND t.tgenabled NOT IN ('O', 'A')
  UNION ALL
  SELECT 'trigger ' || t.tgname || ' of ' || c.relname || ' is not part of the schema'
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = ${OURS} AND NOT t.tgisinternal
    AND t.tgname NOT IN ('submissions_counted_out', 'submissions_counted_over', 'setup_stamped', 'forms_placed')
  UNION ALL
  SELECT 'constraint ' || n.conname || ' of ' || c.relname || ' is not validated'
  FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
  WHERE c.relnamespace = ${OURS} AND NOT n.convalidated
  UNION ALL
  SELECT 'index ' || c.relname || ' is not valid'
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = ${OURS} AND NOT i.indisvalid
  ORDER BY message`;

type Reference = { child: string; column: string; parent: string; key: string };

/** Every reference of our tables is by one column. */
const REFERENCES = `
  SELECT c.relname AS child, a.attname AS "column", p.relname AS parent, k.attname AS key
  FROM pg_constraint n
  JOIN pg_class c ON c.oid = n.conrelid
  JOIN pg_class p ON p.oid = n.confrelid
  JOIN pg_attribute a ON a.attrelid = n.conrelid AND a.attnum = n.conkey[1]
  JOIN pg_attribute k ON k.attrelid = n.confrelid AND k.attnum = n.confkey[1]
  WHERE c.relnamespace = ${OURS} AND n.contype = 'f' AND cardinality(n.conkey) = 1
  ORDER BY child, "column"`;

function* findOrphans({ child, column, parent, key }: Reference): Work<string[]> {
  const sql = `SELECT count(*) AS count FROM "${child}" c WHERE c."${column}" IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM "${parent}" p WHERE p."${key}" = c."${column}")`;
  const { count } = (yield* first<{ count: number }>(sql))!;
  if (count === 0) return [];
  if (count === 1) return [`1 row of ${child} refers to one of ${parent} that is missing`];
  return [`${count} rows of ${child} refer to rows of ${parent} that are missing`];
}

const REVISED = ["environments", "flags", "flag_values", "segments", "changes"] as const;

function* findLaterRevisions(table: (typeof REVISED)[number]): Work<string[]> {
  const row = yield* first<{ last: number; version: number }>(
    `SELECT max(t.revision) AS last, v.version FROM "${table}" t CROSS JOIN setup_version v
     GROUP BY v.version HAVING max(t.revision) > v.version`,
  );
  return row ? [`${table} has revision ${row.last}, and the setup is at version ${row.version}`] : [];
}

/** Numbers come from a sequence: one that is behind gives out numbers that exist. */
function* findTakenNumbers(table: (typeof NUMBERED)[number]): Work<string[]> {
  const { sequence } = (yield* first<{ sequence: string | null }>(
    `SELECT pg_get_serial_sequence('${table}', 'id') AS sequence`,
  ))!;
  if (sequence === null) return [`${table} does not number its rows`];
  const behind = yield* first(
    `SELECT 1 AS found FROM ${sequence} s WHERE s.last_value < (SELECT max(id) FROM "${table}")
       OR (NOT s.is_called AND s.last_value = (SELECT max(id) FROM "${table}"))`,
  );
  return behind ? [`the next number of ${table} is taken`] : [];
}
