import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/network.ts";
import { probeS3 } from "../../blobs/s3/probe.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import { type DatabaseAddress, describeDatabase } from "../../store/postgres/database-url.ts";
import { type Inspection, inspectPostgres } from "../../store/postgres/inspect.ts";
import type { SendingForm } from "../../store/sqlite/inspect.ts";
import { NAMES } from "../../storage.ts";
import type { FilesPlace, SharedStorage } from "../../storage.ts";
import { checkDirectory } from "./directory.ts";
import { checkDisks } from "./disk.ts";
import type { Surroundings } from "./surroundings.ts";

type Checked = { newest: number; sending: SendingForm[]; findings: Finding[] };

/** Checks a database of PostgreSQL and where its files are; the bucket only with `connects`, because that writes to it. */
export async function checkShared(
  data: string,
  { database, migrate, files }: SharedStorage,
  connects: boolean,
  by: Surroundings,
): Promise<Checked> {
  const [checked, stored] = await Promise.all([
    checkPostgres(database, migrate === "off", by),
    checkFiles(files, connects, by),
  ]);
  return { ...checked, findings: [...checked.findings, ...stored, ...checkUnused(data, files)] };
}

async function checkPostgres(database: DatabaseAddress, isOff: boolean, by: Surroundings): Promise<Checked> {
  try {
    const inspection = await inspectPostgres(database);
    const { newest, sending } = inspection;
    const place = describeDatabase(database);
    const findings = [
      versionFinding(place, inspection),
      encryptionFinding(database),
      schemaFinding(inspection, isOff ? by.option("migrate") : null),
      latencyFinding(inspection),
      skewFinding(inspection),
      connectionsFinding(inspection),
      timeoutsFinding(inspection, database),
    ];
    return { newest: newest ?? 0, sending, findings };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = by.hintFor(error) ?? "check the URL of the database";
    return { newest: 0, sending: [], findings: [problem("database", error.message, hint)] };
  }
}

/** The oldest version that formflag supports. */
const OLDEST = 15;

function versionFinding(place: string, { version, encoding, readOnly }: Inspection): Finding {
  const check = "database";
  if (Number.parseInt(version, 10) < OLDEST)
    return problem(
      check,
      `${place} is PostgreSQL ${version}`,
      `formflag needs PostgreSQL ${OLDEST} or later`,
    );
  if (encoding !== "UTF8")
    return problem(
      check,
      `${place} has the encoding ${encoding}, not UTF8`,
      "create one with ENCODING 'UTF8' TEMPLATE template0",
    );
  if (readOnly)
    return problem(
      check,
      `${place} is read-only`,
      "name the primary: this is a replica, or its transactions are read-only",
    );
  return ok(check, `${place} is PostgreSQL ${version}`);
}

function encryptionFinding({ host, sslMode }: DatabaseAddress): Finding {
  const check = "encryption";
  if (sslMode !== "disable" && sslMode !== "prefer") return ok(check, `sslmode=${sslMode}`);
  if (host.startsWith("/") || isLoopbackHost(host)) return ok(check, "the database is on this machine");
  return warning(
    check,
    "everyone on the way to the database can read what is sent",
    "leave sslmode=disable out of the URL, unless the network is trusted",
  );
}

function schemaFinding(
  { schema, newestSchema, isForeign, mayMigrate, isLive, user }: Inspection,
  /** The option that turns migrations off; null if it does not. */
  off: string | null,
): Finding {
  const check = "schema";
  if (isForeign)
    return problem(
      check,
      "it is a database of another program",
      "give formflag a database or a schema of its own",
    );
  if (schema > newestSchema)
    return problem(
      check,
      `schema ${schema} is of a newer formflag, and this one knows ${newestSchema}`,
      "run that one",
    );
  if (!isLive)
    return problem(
      check,
      "data is being moved into this database",
      "finish the move before a server uses the database",
    );
  if (schema === newestSchema) return ok(check, `schema ${schema}`);
  const state = schema === 0 ? "there is none yet" : `schema ${schema} is older than ${newestSchema}`;
  if (off !== null)
    return problem(check, `${state}, and ${off} is off`, `migrate with a role that may: leave ${off} out`);
  if (!mayMigrate)
    return problem(
      check,
      `${state}, and ${user} may not create tables`,
      "let the role own the schema: ALTER SCHEMA public OWNER TO …",
    );
  return ok(check, `${state}: the next start creates it`);
}

/** Milliseconds. Each submission waits for the database once, each change of the setup some ten times. */
const SLOW = 20;

function latencyFinding({ latency }: Inspection): Finding {
  const message = `${latency.toFixed(2)} ms to the database and back`;
  if (latency <= SLOW) return ok("latency", message);
  return warning("latency", message, "every submission waits that long: run the server near its database");
}

/** Ids begin with the time, and pages are in their order; in milliseconds. */
const MAX_SKEW = 1000;

/** `skew` is how far the clock of the database is ahead, in milliseconds. */
export function skewFinding({ skew }: Pick<Inspection, "skew">): Finding {
  const check = "database clock";
  if (Math.abs(skew) <= MAX_SKEW) return ok(check, "it differs from this machine's by less than a second");
  const seconds = (Math.abs(skew) / 1000).toFixed(1);
  return warning(
    check,
    `it is ${seconds} s ${skew > 0 ? "ahead of" : "behind"} this machine's`,
    "let both be set from the network: submissions are listed in the order of the clocks",
  );
}

function connectionsFinding({ connections: { used, most, needed } }: Inspection): Finding {
  const message = `${used} of ${most} are open, and each server opens up to ${needed}`;
  if (most - used >= needed) return ok("connections", message);
  return warning(
    "connections",
    message,
    "raise max_connections, or the limit of the role, or connect through a pooler such as PgBouncer",
  );
}

const TIMEOUTS = [
  ["statement_timeout", "10s"],
  ["lock_timeout", "4s"],
  ["idle_in_transaction_session_timeout", "5s"],
];

export function timeoutsFinding(
  { hasTimeouts, user }: Pick<Inspection, "hasTimeouts" | "user">,
  { prepare }: Pick<DatabaseAddress, "prepare">,
): Finding {
  const check = "timeouts";
  if (hasTimeouts) return ok(check, "the database ends statements that take too long");
  const settings = TIMEOUTS.map(([name, value]) => `ALTER ROLE "${user}" SET ${name} = '${value}';`);
  const older = prepare ? "; for a pooler older than PgBouncer 1.21, add ?prepare=false to the URL" : "";
  return warning(
    check,
    "a pooler takes no settings from formflag, and the role has no timeouts",
    `set them once: ${settings.join(" ")} They count for new connections of the pooler${older}`,
  );
}

async function checkFiles(files: FilesPlace, connects: boolean, by: Surroundings): Promise<Finding[]> {
  if (files.kind === "bucket") {
    const { bucket, endpoint } = files.location;
    return connects ? probeS3(files) : [ok("bucket", `${bucket} at ${endpoint}, which was not contacted`)];
  }
  if (files.kind === "none")
    return [
      warning(
        "files",
        "submissions with files are refused: storage for uploaded files is not configured",
        `name a bucket with ${by.option("blobs")}, or for one server alone a directory with ${by.option("data")}`,
      ),
    ];
  const noted = warning(
    "files",
    `files are stored in ${resolve(files.data)} of this machine: other servers do not find them`,
    `fine for one server alone; for more, give each the same ${by.option("blobs")}`,
  );
  const { usable, findings } = checkDirectory(files.data, by);
  return [noted, ...findings, ...(usable ? await checkDisks(files.data, { isServed: !connects }) : [])];
}

/** Unused data: it is in a data directory, but the server uses a database and a bucket. */
function checkUnused(data: string, files: FilesPlace): Finding[] {
  const names: string[] = [NAMES.database, ...(files.kind === "directory" ? [] : [NAMES.uploads])];
  const unused = names.map((name) => join(data, name)).filter((path) => existsSync(path));
  if (unused.length === 0) return [];
  if (existsSync(join(data, NAMES.moved)))
    return [
      ok("data directory", `the data that was in ${join(data, NAMES.database)} has been moved from there`),
    ];
  const hint = "formflag migrate moves its data into the shared database; else move it aside";
  return [
    warning("data directory", `${unused.join(" and ")} ${unused.length > 1 ? "are" : "is"} not used`, hint),
  ];
}
