import type { RuleName } from "./column-rules.ts";

/**
 * The type of a column. In a dump, a `uuid` is a text with dashes, and a `submission` is the uuid of a submission that
 * the row refers to; drivers may store them differently. Integers are safe integers. A `row` is a number that is not in
 * dumps.
 */
export type ColumnType = "text" | "integer" | "bytes" | "uuid" | "submission" | "row";

/** A type, with `?` if it may be null, and the rule that values fulfil in a file that others may have written. */
export type Column = `${ColumnType}${"" | "?"}${"" | ` ${RuleName}`}`;

export type Columns = Readonly<Record<string, Column>>;

/**
 * When a move copies a table: `setup` is replaced as a whole, `submissions` are added to, and `trail`, which refers to
 * submissions, is replaced at the end.
 */
export type Stage = "setup" | "submissions" | "trail";

/**
 * A table of a dump: the columns that make a row unique, by which its rows are ordered, and all columns. Submissions are
 * ordered as they were stored.
 */
export type PortableTable = { stage: Stage; key: readonly string[]; columns: Columns };

/** Tables of a stage, each with the names of its key. */
const tablesOf =
  (stage: Stage) =>
  (key: string, columns: Columns): PortableTable => ({ stage, key: key.split(" "), columns });

export const setup = tablesOf("setup");
export const submissions = tablesOf("submissions");
export const trail = tablesOf("trail");
