import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { AppError } from "../../src/base/errors.ts";
import type { S3Credentials } from "../../src/blobs/s3/request.ts";
import type { Migrate } from "../../src/store/postgres/migrate.ts";
import { NAMES } from "../../src/storage.ts";
import type { FilesPlace, SharedStorage, Storage } from "../../src/storage.ts";
import { env } from "./env.ts";
import { usage } from "./usage.ts";

/** The URL of a database, or the file that holds it and the variable that names the file. */
type DatabaseSetting = { url: string } | { file: string; variable: string };

/** Location of a command's data as given: URLs are not parsed yet. */
export type StorageSettings = {
  /** The data directory. */
  data: string;
  /** Whether the data directory was named, so that uploaded files of a shared database may be there. */
  isDataGiven: boolean;
  /** The URL of a shared database, or the file that holds it; null for the database in the data directory. */
  database: DatabaseSetting | null;
  /** The URL of the bucket for uploaded files; null without one. */
  blobs: string | null;
  migrate: Migrate;
};

/** Variables of a URL that has a password, because other users of the machine can see options. */
const DATABASE = { variable: "FORMFLAG_DATABASE_URL", file: "FORMFLAG_DATABASE_URL_FILE" };

/** The same of the database that data is moved to. */
export const TARGET = { variable: "FORMFLAG_TO_DATABASE_URL", file: "FORMFLAG_TO_DATABASE_URL_FILE" };

/**
 * The settings of a command about where its data is. A data directory on the command line wins over a database and a bucket
 * that variables name. Throws `invalid` for a password on the command line.
 */
export function readStorageSettings(command: Command): StorageSettings {
  const options = command.optsWithGlobals<Record<string, string | undefined>>();
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name) ?? "default";
  const data = String(options["data"]);
  const isNamed = (name: string) => sourceOf(name) === "cli";
  const isAlone = (isNamed("data") || isOfService(command)) && !isNamed("database") && !isNamed("blobs");
  // A service is a server with --data.
  const mayBecome = command.name() === "serve" || isOfService(command);
  const isInDirectory = isAlone && !holdsFilesAlone(data, mayBecome);
  return {
    data,
    isDataGiven: sourceOf("data") !== "default",
    database: isInDirectory ? null : readDatabase(command, "database", DATABASE),
    blobs: isInDirectory ? null : (options["blobs"] ?? null),
    migrate: options["migrate"] === "off" ? "off" : "auto",
  };
}

/**
 * Whether a directory is where the uploaded files of a shared database are, and no data directory of its own: after a move,
 * or where a server has put them. With `mayBecome`, a directory with nothing in it may become one.
 */
export function holdsFilesAlone(data: string, mayBecome: boolean): boolean {
  const has = (name: string) => existsSync(join(data, name));
  if (has(NAMES.moved)) return true;
  return !has(NAMES.database) && (mayBecome || has(NAMES.uploads));
}

/**
 * The settings of where `migrate` moves data to; files stay in the data directory unless a bucket is named. Data of the
 * installed service is moved to what the variables of that name. Throws `invalid` if no database is named, and for a password
 * on the command line.
 */
export function readTargetSettings(command: Command): StorageSettings {
  const service = isOfService(command) ? readDatabase(command, "database", DATABASE) : null;
  const database = readDatabase(command, "to", TARGET) ?? service;
  if (database === null)
    throw usage(
      "the database to move to is missing",
      `name it with --to postgres://user@host/database, or with a password in ${TARGET.variable}`,
    );
  const { toBlobs, blobs } = command.optsWithGlobals<{ toBlobs?: string; blobs?: string }>();
  const bucket = toBlobs ?? (service === null ? null : (blobs ?? null));
  return { ...readStorageSettings(command), isDataGiven: true, database, blobs: bucket };
}

/** Whether the data of a command is that of the installed service, which no option names. */
export function isOfService(command: Command): boolean {
  return command.getOptionValueSourceWithGlobals("data") === "config";
}

/** The URL of a database by an option, its variable, or the variable of a file. */
function readDatabase(
  command: Command,
  option: "database" | "to",
  { variable, file: fileVariable }: typeof DATABASE,
): StorageSettings["database"] {
  const url = command.optsWithGlobals<Record<string, string | undefined>>()[option];
  if (command.getOptionValueSourceWithGlobals(option) === "cli" && mayHoldPassword(url!)) {
    throw usage(
      `--${option} holds a password, which other users of this machine can see`,
      `put the URL into ${variable}, or into a file that ${fileVariable} names`,
    );
  }
  if (url !== undefined) return { url };
  const file = env[fileVariable];
  return file === undefined ? null : { file, variable: fileVariable };
}

/** Whether the part before the host of a URL, which may not be a valid one, could hold a password. */
export function mayHoldPassword(url: string): boolean {
  return /:.*@/s.test(url.replace(/^[\w+.-]*:\/\//, ""));
}

/** The variables of this process, changed so that a command without options finds the data of the settings. */
export function environmentOf({ data, isDataGiven, database, blobs, migrate }: StorageSettings) {
  const settings: Record<string, string | undefined> = {
    FORMFLAG_DATA: isDataGiven || database === null ? data : undefined,
    FORMFLAG_DATABASE_URL: database !== null && "url" in database ? database.url : undefined,
    FORMFLAG_DATABASE_URL_FILE: database !== null && "file" in database ? database.file : undefined,
    FORMFLAG_BLOBS: blobs ?? undefined,
    FORMFLAG_MIGRATE: migrate,
    FORMFLAG_SERVER: undefined,
  };
  return { ...env, ...settings };
}

/** The URL of the server that runs on the data directory of a command, without a slash at the end; null if none does. */
export async function servedAt({
  data,
  server,
  storage,
}: {
  data: string;
  server: string | null;
  storage: StorageSettings;
}): Promise<string | null> {
  if (server !== null || storage.database !== null) return null;
  const { servedUrl } = await import("../data/serving.ts");
  return servedUrl(data);
}

/** The storage that settings describe. Throws `invalid`, and `unauthenticated` without the credentials of a bucket. */
export async function loadStorage(settings: StorageSettings): Promise<Storage> {
  const { data, database, blobs } = settings;
  if (database === null) {
    if (blobs === null) return { data, shared: null };
    throw usage(
      "--blobs needs a PostgreSQL database: without one, uploaded files are in the data directory",
      "name the database with FORMFLAG_DATABASE_URL, or leave --blobs out",
    );
  }
  return { data, shared: await loadShared(settings, await urlOf(database)) };
}

async function loadShared(settings: StorageSettings, url: string): Promise<SharedStorage> {
  const { parseDatabaseUrl } = await import("../../src/store/postgres/database-url.ts");
  const { migrate } = settings;
  return { database: parseDatabaseUrl(url), migrate, files: await loadFiles(settings) };
}

async function loadFiles({ blobs, data, isDataGiven }: StorageSettings): Promise<FilesPlace> {
  if (blobs === null) return isDataGiven ? { kind: "directory", data } : { kind: "none" };
  const { parseS3Url } = await import("../../src/blobs/s3/url.ts");
  return { kind: "bucket", url: blobs, location: parseS3Url(blobs), credentials: readS3Credentials() };
}

/** The credentials of object storage, which only variables hold. Throws `unauthenticated` without them. */
export function readS3Credentials(): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new AppError("unauthenticated", "the credentials of the object storage are missing", {
      reason: "storage-credentials",
    });
  return { accessKeyId, secretAccessKey, sessionToken: env["AWS_SESSION_TOKEN"] || undefined };
}

async function urlOf(database: DatabaseSetting): Promise<string> {
  if ("url" in database) return database.url.trim();
  const { readText } = await import("./sources.ts");
  return (await readText(database.file, database.variable)).trim();
}
