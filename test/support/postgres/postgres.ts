import { randomUUID } from "node:crypto";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { migrate } from "../../../src/store/postgres/migrate.ts";
import { need } from "../needs.ts";
import { type Postgres, createPostgres, hasPostgres, postgresAt } from "./postgres-server.ts";

/** Whether tests can run on PostgreSQL. Where they have to, a platform without it is an error. */
export const IS_POSTGRES_HERE = need(
  hasPostgres(),
  "tests on PostgreSQL: npm has no PostgreSQL for this platform",
);

if (!IS_POSTGRES_HERE && process.env["FORMFLAG_REQUIRE_POSTGRES"] === "1")
  throw new Error("npm has no PostgreSQL for this platform");

/** The port of a server that the workers of `scripts/test.ts` share, each with databases of its own. */
const PORT = process.env["FORMFLAG_TEST_POSTGRES"];

let server: Promise<Postgres> | undefined;
let template: Promise<string> | undefined;

/** The server that all tests share, or one of this process, started when it is first needed. It does not survive power cuts. */
export async function sharedPostgres(): Promise<Postgres> {
  return (server ??= PORT === undefined ? createPostgres() : Promise.resolve(postgresAt(Number(PORT))));
}

/** Runs one statement as the superuser, in a database of its own connection. */
export async function execute(
  text: string,
  { database = "postgres", on = sharedPostgres() }: { database?: string; on?: Promise<Postgres> } = {},
): Promise<Record<string, unknown>[]> {
  const connections = createConnections(parseDatabaseUrl((await on).url(database)), true);
  try {
    const { rows } = await connections.query("reads", text, [], 60_000);
    return rows;
  } finally {
    await connections.close();
  }
}

/** The URL of a new database with nothing in it. */
export async function emptyDatabase(): Promise<string> {
  return createDatabase("");
}

/** The URL of a new database with our schema. */
export async function freshDatabase(): Promise<string> {
  template ??= createTemplate();
  // Copied as files, with the caches of its catalog, it takes half the time to create and to connect to.
  return createDatabase(`TEMPLATE ${await template} STRATEGY file_copy`);
}

/** The name of the database of a URL. */
export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** A database that a newer formflag has migrated. */
export async function newerDatabase(): Promise<string> {
  const url = await freshDatabase();
  await execute("UPDATE formflag_meta SET schema = 99", { database: databaseOf(url) });
  return url;
}

/** A database with a table of another program. */
export async function foreignDatabase(): Promise<string> {
  const url = await emptyDatabase();
  await execute("CREATE TABLE theirs (id INTEGER)", { database: databaseOf(url) });
  return url;
}

async function createDatabase(options: string): Promise<string> {
  const name = newName();
  await execute(`CREATE DATABASE ${name} ${options}`);
  return (await sharedPostgres()).url(name);
}

async function createTemplate(): Promise<string> {
  const name = newName();
  await execute(`CREATE DATABASE ${name}`);
  const connections = createConnections(parseDatabaseUrl((await sharedPostgres()).url(name)));
  try {
    await migrate(connections, name);
  } finally {
    await connections.close();
  }
  return name;
}

function newName(): string {
  return `test_${randomUUID().replaceAll("-", "")}`;
}
