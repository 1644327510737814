import type { S3Credentials } from "./blobs/s3/request.ts";
import type { S3Location } from "./blobs/s3/url.ts";
import type { DatabaseAddress } from "./store/postgres/database-url.ts";
import type { Migrate } from "./store/postgres/migrate.ts";

/** Names of the files and folders in a data directory. */
export const NAMES = {
  database: "formflag.db",
  uploads: "uploads",
  /** Held by a server while it runs. */
  serveLock: "serve.lock",
  /** Held by a backup or restore. */
  backupLock: "backup.lock",
  /** Held by a backup while no uploaded file may be removed. */
  holdLock: "hold.lock",
  /** A restore unpacks here. */
  unpacked: "restore.tmp",
  /** A backup copies the database here. */
  scratch: "backup.tmp",
  /** Says where the running server is reached. */
  serving: "serving.json",
  /** Says when the last backup was made, and how it ended. */
  backups: "backups.json",
  /** Certificates that a server got itself, with their keys and that of its account. */
  certificates: "certificates",
  /** The flags of the server that this one follows. */
  following: "following.jsonl",
  /** Counts that wait for that server. */
  spool: "spool",
  /** Says where the data has been moved to. */
  moved: "moved.json",
} as const;

/** Where uploaded files are: in a bucket, in a data directory of this machine, or nowhere. */
export type FilesPlace =
  | { kind: "bucket"; url: string; location: S3Location; credentials: S3Credentials }
  | { kind: "directory"; data: string }
  | { kind: "none" };

/** A database that several servers may use. */
export type SharedStorage = { database: DatabaseAddress; migrate: Migrate; files: FilesPlace };

/** The locations of the product's data. */
export type Storage = {
  /** The data directory; with `shared`, the database is not in it. */
  data: string;
  shared: SharedStorage | null;
};
