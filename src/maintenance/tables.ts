import type { Column, ColumnType, Columns, PortableTable } from "./column.ts";
import { FORM_TABLES } from "./form-tables.ts";
import { SETUP_TABLES } from "./setup-tables.ts";

/**
 * The tables of a dump, parents first. Not included: the search index, sessions, rows that follow from other rows, and
 * notes about files to remove. `submission_counts` has the submissions stored in each hour; the totals follow from the
 * submissions.
 */
export const PORTABLE_TABLES = { ...SETUP_TABLES, ...FORM_TABLES };

/** The name of a table of a dump. */
export type TableName = keyof typeof PORTABLE_TABLES;

/** The names of the tables, parents first. */
export const TABLE_NAMES = Object.keys(PORTABLE_TABLES) as TableName[];

type OtherTable = {
  /** Why no dump has it. A copy of a SQLite file takes the rows of `files`, and leaves the others out. */
  of: "files" | "sign-in" | "search" | "replicas" | "derived";
  /** The database that has it; without it, both. */
  only?: "sqlite" | "postgres";
  columns: Columns;
};

const [SQLITE, POSTGRES] = [{ only: "sqlite" }, { only: "postgres" }] as const;

/** All other tables, except those of migrations and of SQLite's search index. */
export const OTHER_TABLES: Readonly<Record<string, OtherTable>> = {
  loose_files: { of: "files", columns: { blob_key: "text fileKey" } },
  sessions: {
    of: "sign-in",
    columns: {
      hash: "bytes",
      id: "text",
      user_id: "integer",
      method: "text",
      agent: "text",
      address: "text",
      created_at: "integer",
      seen_at: "integer",
      expires_at: "integer?",
      sid: "bytes?",
    },
  },
  sign_in_links: { of: "sign-in", columns: { hash: "bytes", user_id: "integer", expires_at: "integer" } },
  device_logins: {
    of: "sign-in",
    columns: {
      hash: "bytes",
      code: "bytes",
      client: "text",
      address: "text",
      lasts: "integer",
      created_at: "integer",
      expires_at: "integer",
      polled_at: "integer?",
      user_id: "integer?",
      denied: "integer",
      sid: "bytes?",
    },
  },
  oauth_grants: {
    of: "sign-in",
    columns: {
      hash: "bytes",
      id: "text",
      user_id: "integer",
      client: "text",
      client_name: "text",
      redirect: "text",
      resource: "text",
      challenge: "text",
      scopes: "text",
      project_id: "integer?",
      environment_id: "integer?",
      sid: "bytes?",
      access: "bytes?",
      access_expires_at: "integer?",
      family: "bytes?",
      refresh: "bytes?",
      replaced: "bytes?",
      created_at: "integer",
      used_at: "integer",
      expires_at: "integer",
    },
  },
  wrong_codes: { of: "sign-in", columns: { user_id: "integer", forgotten_at: "integer" } },
  begun_sign_ins: {
    of: "sign-in",
    columns: { hash: "bytes", user_id: "integer", method: "text", wrong: "integer", expires_at: "integer" },
  },
  spent_challenges: { of: "sign-in", columns: { hash: "bytes", expires_at: "integer" } },
  project_storage: { of: "derived", columns: { project_id: "row", bytes: "integer" } },
  invitations: {
    of: "sign-in",
    columns: {
      hash: "bytes",
      id: "text",
      project_id: "integer",
      role: "text",
      environments: "text?",
      user_id: "integer?",
      token_id: "integer?",
      created_at: "integer",
      expires_at: "integer",
    },
  },
  spent_logouts: { of: "sign-in", columns: { hash: "bytes", expires_at: "integer" } },
  submission_search: { of: "search", ...SQLITE, columns: {} },
  submission_positions: { of: "search", ...SQLITE, columns: { seq: "row", position: "integer" } },
  search_removals: { of: "search", ...SQLITE, columns: { position: "row", terms: "text" } },
  submission_terms: { of: "search", ...POSTGRES, columns: { seq: "row" } },
  upload_notes: {
    of: "files",
    ...POSTGRES,
    columns: { id: "bytes", files: "integer", due: "integer", swept: "integer" },
  },
  holds: { of: "files", ...POSTGRES, columns: { id: "text", expires_at: "integer" } },
  rate_counts: {
    of: "replicas",
    ...POSTGRES,
    columns: { hash: "bytes", count: "integer", expires_at: "integer" },
  },
  kept_texts: {
    of: "replicas",
    ...POSTGRES,
    columns: { hash: "bytes", text: "text", expires_at: "integer" },
  },
  servers: { of: "replicas", ...POSTGRES, columns: { id: "bytes", facts: "text", seen_at: "integer" } },
};

/** The names of the other tables of that kind in SQLite. */
export function sqliteTablesOf(kind: OtherTable["of"]): ReadonlySet<string> {
  const tables = Object.entries(OTHER_TABLES).filter(
    ([, { of, only }]) => of === kind && only !== "postgres",
  );
  return new Set(tables.map(([name]) => name));
}

/** The columns of a table in the order in which rows of a dump have them. */
export function columnsOf(table: TableName): [name: string, type: PortableType][] {
  return Object.entries<Column>(PORTABLE_TABLES[table].columns).flatMap(([name, column]) => {
    const { type } = parseColumn(column);
    return type === "row" ? [] : [[name, type]];
  });
}

/** The type of a column of a dump. */
export type PortableType = Exclude<ColumnType, "row">;

/** The columns of a table of any kind; undefined for a table that formflag does not have. */
export function tableColumns(table: string): Columns | undefined {
  const known: Readonly<Record<string, PortableTable | OtherTable>> = { ...PORTABLE_TABLES, ...OTHER_TABLES };
  return Object.hasOwn(known, table) ? known[table]!.columns : undefined;
}

/** The parts of a column; the rule is the name of one, or undefined. */
export function parseColumn(column: Column): { type: ColumnType; isNullable: boolean; rule?: string } {
  const [kind = "", rule] = column.split(" ");
  const type = kind.replace("?", "") as ColumnType;
  return { type, isNullable: kind.endsWith("?"), ...(rule !== undefined && { rule }) };
}
