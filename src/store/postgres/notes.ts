import { clock } from "../../base/clock.ts";
import { type Claim, type Hold, type Notes, keysOf } from "../../blobs/notes.ts";
import { bytesOf, textOf } from "../sql/ids.ts";
import { forgetLoose, listLoose } from "../sql/submissions/files.ts";
import { SKIP_LOCKED, type Work, all, first, run } from "../sql/work.ts";
import { idArray } from "./arrays.ts";
import type { Units } from "./run.ts";

/** Milliseconds after which a hold ends whose process has not renewed it, and between two renewals. */
const HOLD_MS = 60_000;
const RENEWAL_MS = 15_000;

/** The time of the database in milliseconds since 1970, since clocks of replicas differ. */
const DATABASE_NOW = "CAST(unixepoch('subsec') * 1000 AS BIGINT)";

/** Notes in tables of the database, which replicas share. */
export function createNotes({ read, write }: Pick<Units, "read" | "write">): Notes {
  return {
    clearedByInsert: true,
    add: (id, files, due) =>
      write(function* () {
        const sql = "INSERT INTO upload_notes (id, files, due) VALUES ($id, $files, $due)";
        yield* run(sql, { id: bytesOf(id), files, due });
      }),
    clear: (ids) =>
      write(function* () {
        yield* run("DELETE FROM upload_notes WHERE id = ANY (CAST($ids AS BYTEA[]))", { ids: idArray(ids) });
      }),
    forget: (keys) => write(() => forgetLoose(keys)),
    claim: (now, limit) => write(() => claim(now, limit)),
    pending: () =>
      read(function* () {
        const notes = yield* all<{ id: Uint8Array; files: number }>("SELECT id, files FROM upload_notes");
        return notes.flatMap(({ id, files }) => keysOf({ id: textOf(id), files }));
      }),
    async hold() {
      const id = clock.uuid();
      await write(() => renew(id));
      const timer = clock.every(RENEWAL_MS, () => {
        // A renewal that fails is tried again, and the hold ends by itself if that goes on.
        write(() => renew(id)).catch(() => {});
      });
      timer.unref();
      const hold: Hold = {
        async release() {
          timer.close();
          await write(function* () {
            yield* run("DELETE FROM holds WHERE id = $id", { id });
          });
        },
      };
      return hold;
    },
  };
}

function* claim(now: number, limit: number): Work<Claim> {
  const notes = yield* all<{ id: Uint8Array; files: number }>(
    `UPDATE upload_notes SET swept = 1
     WHERE id IN (SELECT id FROM upload_notes WHERE due <= $now ORDER BY due LIMIT $limit ${SKIP_LOCKED})
     RETURNING id, files`,
    { now, limit },
  );
  const uploads = notes.map(({ id, files }) => ({ id: textOf(id), files }));
  const garbage = yield* listLoose(limit);
  // Read after the list, so that no file in it was deleted during a hold.
  const held = yield* first(`SELECT 1 AS held FROM holds WHERE expires_at > ${DATABASE_NOW} LIMIT 1`);
  return { uploads, garbage: held ? [] : garbage };
}

function* renew(id: string): Work<void> {
  yield* run(
    `INSERT INTO holds (id, expires_at) VALUES ($id, ${DATABASE_NOW} + ${HOLD_MS})
     ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
    { id },
  );
  yield* run(`DELETE FROM holds WHERE expires_at <= ${DATABASE_NOW}`);
}
