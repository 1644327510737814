import { FIELDS, NO_OPTIONAL, type Optional, OPTIONAL_NAMES } from "../../flags/flag-fields.ts";
import { type Work, run } from "./work.ts";

/** The alias of each table that has optional fields. */
const ALIASES = { flag_values: "v", flag_previews: "w", flags: "f" };

type OptionalTable = keyof typeof ALIASES;

const OPTIONAL = OPTIONAL_NAMES.map((name) => {
  const [table, column] = FIELDS[name].column.split(".") as [OptionalTable, string];
  return { name, table, column, isText: FIELDS[name].kind !== "switch" };
});

/** Columns of a statement that joins this table, named as the fields. */
export function optionalColumns(table: OptionalTable): string {
  const own = OPTIONAL.filter((field) => field.table === table);
  return own.map(({ name, column }) => `${ALIASES[table]}.${column} AS "${name}"`).join();
}

/** The columns that hold texts. */
export const OPTIONAL_TEXTS = OPTIONAL.filter(({ isText }) => isText).map(({ name }) => name);

/** The optional fields of a flag as {@link optionalColumns} reads them; null if none is set. */
export type OptionalRow = Record<keyof Optional, number | string | null>;

/** Adds the optional fields of a row to the record of its flag: a loop, since thousands of rows are read at once. */
export function addOptional<T extends object>(record: T, row: OptionalRow): T & Optional {
  const members = record as Record<string, unknown>;
  for (const { name, isText } of OPTIONAL)
    members[name] = isText ? (row[name] ?? NO_OPTIONAL[name]) : row[name] === 1;
  return record as T & Optional;
}

/** The optional fields that a table has, by its columns. */
export function optionalIn(table: OptionalTable, record: Optional): Record<string, string | number> {
  const own = OPTIONAL.filter((field) => field.table === table);
  return Object.fromEntries(own.map(({ name, column }) => [column, storedOf(record[name])]));
}

function storedOf(value: boolean | string): string | number {
  return typeof value === "string" ? value : Number(value);
}

/** Inserts or replaces the row of a flag in an environment. */
export function* putRow(
  table: Exclude<OptionalTable, "flags">,
  environmentId: number,
  flagId: number,
  values: Record<string, string | number | null>,
): Work<void> {
  const columns = Object.keys(values);
  yield* run(
    `INSERT INTO ${table} (environment_id, flag_id, ${columns.join()})
     VALUES ($environmentId, $flagId, ${columns.map((column) => `$${column}`).join()})
     ON CONFLICT (environment_id, flag_id) DO UPDATE SET
       ${columns.map((column) => `${column} = excluded.${column}`).join()}`,
    { environmentId, flagId, ...values },
  );
}
