import type { StoredFile } from "../../../forms/submission.ts";
import { textOf } from "../ids.ts";
import { type Work, all, only, run } from "../work.ts";

/** Files sorted by blob key, after one. Reads a database of any schema: up to schema 5 an id is a text. */
export function* listFiles(after: string, limit: number): Work<StoredFile[]> {
  const rows = yield* all<Omit<StoredFile, "submission"> & { submission: Uint8Array | string }>(
    `SELECT f.blob_key AS key, s.id AS submission, f.name, f.size, f.sha256
     FROM files f JOIN submissions s ON s.seq = f.submission_seq
     WHERE f.blob_key > $after ORDER BY f.blob_key LIMIT $limit`,
    { after, limit },
  );
  return rows.map(({ submission, ...file }) => ({
    ...file,
    submission: typeof submission === "string" ? submission : textOf(submission),
  }));
}

/** The total bytes of all files. */
export function* countFileBytes(): Work<number> {
  return (yield* only<{ bytes: number }>("SELECT coalesce(sum(size), 0) AS bytes FROM files")).bytes;
}

/** The given blob keys that neither a submission nor the record of loose files has. */
export function* unreferencedFiles(keys: readonly string[]): Work<string[]> {
  const rows = yield* all<{ key: string }>(
    `SELECT given.value AS key FROM json_each($keys) AS given
     WHERE NOT EXISTS (SELECT 1 FROM files WHERE blob_key = given.value)
       AND NOT EXISTS (SELECT 1 FROM loose_files WHERE blob_key = given.value)`,
    { keys: JSON.stringify(keys) },
  );
  return rows.map(({ key }) => key);
}

/** The blob keys of some loose files. */
export function* listLoose(limit: number): Work<string[]> {
  const sql = "SELECT blob_key AS key FROM loose_files LIMIT $limit";
  return (yield* all<{ key: string }>(sql, { limit })).map(({ key }) => key);
}

export function* forgetLoose(keys: readonly string[]): Work<void> {
  const sql = "DELETE FROM loose_files WHERE blob_key IN (SELECT value FROM json_each($keys))";
  yield* run(sql, { keys: JSON.stringify(keys) });
}

/** The slice of files that no row needs any more. */
export const garbage = { reads: { list: listLoose }, writes: { forget: forgetLoose } };
