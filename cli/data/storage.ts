import type { S3Credentials } from "../../src/blobs/s3/request.ts";
import type { S3Location } from "../../src/blobs/s3/url.ts";
import type { DatabaseAddress } from "../../src/store/postgres/database-url.ts";
import type { Migrate } from "../../src/store/postgres/migrate.ts";

/** Where uploaded files are: in a bucket, in a data directory of this machine, or nowhere. */
export type FilesPlace =
  | { kind: "bucket"; url: string; location: S3Location; credentials: S3Credentials }
  | { kind: "directory"; data: string }
  | { kind: "none" };

/** A database that several servers may use. */
export type SharedStorage = { database: DatabaseAddress; migrate: Migrate; files: FilesPlace };

/** Where the product keeps its data. */
export type Storage = {
  /** The data directory; with `shared`, the database is not in it. */
  data: string;
  shared: SharedStorage | null;
};
