import { clock } from "../../base/clock.ts";
import { createConnections, POOL_SIZES, type Query } from "./connection.ts";
import { type DatabaseAddress, describeDatabase } from "./database-url.ts";
import { startError } from "./errors.ts";
import { MIGRATIONS, TABLES } from "./migrate.ts";
import { listServers } from "./servers.ts";

/** Connections that a server needs to serve, one of which listens; a dump takes one more. */
const NEEDED = 1 + POOL_SIZES.version + POOL_SIZES.reads + POOL_SIZES.inserts + POOL_SIZES.transactions;

/** A form, and where its submissions are sent. */
type SendingForm = {
  slug: string;
  notifies: boolean;
  replies: boolean;
  asks: boolean;
  hasTargets: boolean;
};

/** The state of a database server, and of the database. Times are milliseconds. */
export type Inspection = {
  /** `18.4`. */
  version: string;
  /** The median of some round trips. */
  latency: number;
  /** How far the clock of the server is ahead of this machine's, less what the round trip leaves open. */
  skew: number;
  /** Connections that are open, and how many this user may have; a server of formflag opens up to `needed`. */
  connections: { used: number; most: number; needed: number };
  /** The user, and whether statements of its connections end after some time. */
  user: string;
  hasTimeouts: boolean;
  readOnly: boolean;
  /** `UTF8`. */
  encoding: string;
  /** The number of migrations applied, and of those there are; 0 for an empty database. */
  schema: number;
  newestSchema: number;
  /** Whether the schema holds only tables of another program. */
  isForeign: boolean;
  /** Whether the user may create tables. */
  mayMigrate: boolean;
  /** False for the target of a move that is not finished. */
  isLive: boolean;
  /** The time of the newest submission since 1970; null without submissions. */
  newest: number | null;
  /** The forms whose submissions are sent somewhere, by slug. */
  sending: SendingForm[];
};

/** The facts of the servers that use a database, as JSON; none if it cannot be reached, which {@link inspectPostgres} reports. */
export async function serversOn(address: DatabaseAddress): Promise<string[]> {
  const connections = createConnections(address);
  try {
    return await listServers((text, params) => connections.query("version", text, params));
  } catch {
    return [];
  } finally {
    await connections.close();
  }
}

const ROUND_TRIPS = 5;

/** Reads what an operator should know of a database, and changes nothing. Throws as `migrate` does if it cannot be reached. */
export async function inspectPostgres(address: DatabaseAddress): Promise<Inspection> {
  const connections = createConnections(address);
  try {
    const query: Query = (text, params) => connections.query("version", text, params);
    const server = await readServer(query);
    const times = await measure(query);
    return { ...server, ...times, ...(await readData(query)) };
  } catch (error) {
    throw startError(error, describeDatabase(address));
  } finally {
    await connections.close();
  }
}

/** Limits and settings of this process and of the database; a limit of -1 is none. */
const SERVER = `SELECT current_setting('server_version') AS version, current_user AS user,
  current_setting('statement_timeout') AS timeout, current_setting('transaction_read_only') AS read_only,
  current_setting('server_encoding') AS encoding,
  has_schema_privilege(current_schema(), 'CREATE') AS may_migrate,
  (SELECT sum(numbackends) FROM pg_stat_database) AS used,
  least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
  ) AS most`;

async function readServer(query: Query) {
  const { rows } = await query(SERVER);
  const { version, user, timeout, read_only, encoding, may_migrate, used, most } = rows[0]!;
  return {
    version: String(version),
    user: String(user),
    hasTimeouts: timeout !== "0",
    readOnly: read_only === "on",
    encoding: String(encoding),
    mayMigrate: may_migrate === true,
    connections: { used: Number(used), most: Number(most), needed: NEEDED },
  };
}

async function measure(query: Query): Promise<Pick<Inspection, "latency" | "skew">> {
  const trips: { took: number; skew: number }[] = [];
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    const [start, begun] = [clock.steady(), clock.now()];
    const { rows } = await query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now");
    const took = clock.steady() - start;
    const difference = Number(rows[0]!["now"]) - begun - took / 2;
    const sure = Math.max(0, Math.abs(difference) - took / 2);
    trips.push({ took, skew: Math.sign(difference) * sure });
  }
  trips.sort((one, other) => one.took - other.took);
  // The shortest round trip leaves the least open.
  return { latency: trips[trips.length >> 1]!.took, skew: trips[0]!.skew };
}

async function readData(query: Query): Promise<Pick<Inspection, DataFields>> {
  const newestSchema = MIGRATIONS.length;
  const { rows: tables } = await query(TABLES);
  if (tables[0]?.["name"] !== "formflag_meta") {
    const isForeign = tables.length > 0;
    return { schema: 0, newestSchema, isForeign, isLive: true, newest: null, sending: [] };
  }
  const { rows: meta } = await query("SELECT schema, live FROM formflag_meta WHERE id = 1");
  const schema = Number(meta[0]?.["schema"] ?? 0);
  const known = { schema, newestSchema, isForeign: false, isLive: Number(meta[0]?.["live"] ?? 1) === 1 };
  if (schema === 0) return { ...known, newest: null, sending: [] };
  const { rows } = await query("SELECT created_at FROM submissions ORDER BY id DESC LIMIT 1");
  const newest = rows[0] ? Number(rows[0]["created_at"]) : null;
  return { ...known, newest, sending: await sendingForms(query) };
}

type DataFields = "schema" | "newestSchema" | "isForeign" | "isLive" | "newest" | "sending";

async function sendingForms(query: Query): Promise<SendingForm[]> {
  const { rows } = await query(
    `SELECT slug, settings, EXISTS (SELECT FROM targets WHERE form_id = forms.id AND enabled = 1) AS targets
     FROM forms WHERE deleted = 0 ORDER BY slug`,
  );
  return rows
    .map(({ slug, settings, targets }) => {
      const { notify, autoreply, optIn } = JSON.parse(String(settings)) as {
        notify?: unknown[];
        autoreply?: boolean;
        optIn?: string | null;
      };
      return {
        slug: String(slug),
        notifies: (notify?.length ?? 0) > 0,
        replies: autoreply === true,
        asks: optIn != null,
        hasTargets: targets === true,
      };
    })
    .filter((form) => Object.values(form).includes(true));
}
