import * as z from "zod/mini";

/** Backups of a server, or of a data directory. */
export const backupsSchema = z.object({
  /**
   * The folder and the seconds between two backups that the server makes itself, and how many of them it keeps, or of which days,
   * weeks and months one: `7d,4w,6m`; null without.
   */
  directory: z.nullable(z.string()),
  every: z.nullable(z.int()),
  keep: z.nullable(z.union([z.int(), z.string()])),
  /** Where in a bucket the server stores them, as `s3://bucket/prefix`; an older server does not say it, nor what follows. */
  bucket: z.optional(z.nullable(z.string())),
  /** Whether they are encrypted. */
  encrypted: z.optional(z.boolean()),
  /** The newest one that arrived in the bucket, as far as is known. */
  arrived: z.optional(z.nullable(z.object({ at: z.string(), file: z.string(), bytes: z.int() }))),
  /** The newest backup that is known; `file` is null for one that was streamed. */
  last: z.nullable(z.object({ at: z.string(), file: z.nullable(z.string()), bytes: z.int() })),
  /** The newest attempt of the server, if it failed. */
  failure: z.nullable(z.object({ at: z.string(), error: z.string() })),
  /** When the server makes the next one. */
  next: z.nullable(z.string()),
});

/** A server that uses a shared database. */
const runningServerSchema = z.object({
  /** The name of its machine. */
  host: z.string(),
  version: z.string(),
  startedAt: z.string(),
  /** As in {@link statusSchema}. */
  address: z.string(),
});

/** The status of a server, or of a data directory that no server has. */
export const statusSchema = z.object({
  version: z.string(),
  /** Null if no server runs. */
  startedAt: z.nullable(z.string()),
  /** The address that the server has on its machine; null if no server runs. */
  address: z.nullable(z.string()),
  /** The servers of a shared database, the newest first; null without one. */
  servers: z.nullable(z.array(runningServerSchema)),
  /** The address of the dashboard for browsers; null without one. */
  dashboard: z.nullable(z.string()),
  /** The data directory; null without one. */
  data: z.nullable(z.string()),
  database: z.object({ kind: z.enum(["sqlite", "postgres"]), name: z.string(), bytes: z.int() }),
  /** Deliveries that wait, and that have failed within 30 days; at most 1,000 of each are counted. */
  queue: z.object({ waiting: z.int(), failed: z.int() }),
  backup: backupsSchema,
  /** Whether mail is sent; null for data that no server has. An older server does not say it. */
  sendsMail: z.optional(z.nullable(z.boolean())),
});
