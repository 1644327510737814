import { createHash } from "node:crypto";
import { AppError } from "../../../src/base/errors.ts";
import type { Blobs } from "../../../src/blobs/blobs.ts";
import { type Notes, type UploadNote, keysOf } from "../../../src/blobs/notes.ts";
import type { SqliteStore } from "../../../src/store/sqlite/store.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** A bucket, and the notes about what may have to be removed from it, which all processes share. */
export type Files = {
  kept: Map<string, Uint8Array>;
  notes: Map<string, UploadNote & { due: number; swept: boolean }>;
};

export function createFiles(): Files {
  return { kept: new Map(), notes: new Map() };
}

/** Once in so many calls something goes wrong with the storage; 0 for never. */
type Failing = () => number;

/** The files as a process sees them: a file that was refused may appear later, and some cannot be removed for now. */
export function blobsOf(files: Files, scheduler: Scheduler, process: Process, failing: Failing): Blobs {
  const { chance } = scheduler;
  const fails = () => failing() > 0 && chance.once(failing());
  const travel = (label: string) => scheduler.sleep(chance.int(10), label, process);
  const unavailable = (reason: string) =>
    new AppError("unavailable", "the storage does not answer", { reason });
  return {
    async stage() {
      const chunks: Uint8Array[] = [];
      const bytes = () => Buffer.concat(chunks);
      return {
        write: (chunk) => void chunks.push(chunk.slice()),
        finish: async () => ({
          size: bytes().length,
          sha256: createHash("sha256").update(bytes()).digest("hex"),
        }),
        discard: async () => {},
        bytes,
      };
    },
    async keep(wanted) {
      await travel("keep?");
      for (const { key, staged } of wanted) {
        const put = () =>
          void files.kept.set(key, (staged as typeof staged & { bytes: () => Uint8Array }).bytes());
        if (fails()) {
          // Of a request that nobody waits for any more.
          if (chance.once(2)) void scheduler.sleep(chance.int(60_000), "late file", null).then(put);
          throw unavailable("storage-unavailable");
        }
        put();
        await travel("kept");
      }
    },
    ready: async () => {},
    async open(key) {
      const found = files.kept.get(key);
      if (!found) throw new AppError("not_found", "there is no such file");
      return new Blob([found.slice()]).stream();
    },
    head: async (key, length) => files.kept.get(key)!.slice(0, length),
    async has(key) {
      await travel("has?");
      return files.kept.has(key);
    },
    async *list() {
      yield [...files.kept].map(([key, { length }]) => ({ key, size: length }));
    },
    async delete(keys) {
      await travel("delete?");
      if (fails()) throw unavailable("storage-unavailable");
      const left = keys.filter(() => fails());
      for (const key of keys) if (!left.includes(key)) files.kept.delete(key);
      await travel("deleted");
      return left.map((key) => ({ key, error: unavailable("storage-file") }));
    },
  };
}

/** The notes as a process sees them. They are in the database, as those of PostgreSQL: an insert clears its own. */
export function notesOf(
  files: Files,
  scheduler: Scheduler,
  process: Process,
  garbage: SqliteStore["garbage"],
): Notes {
  const travel = (label: string) => scheduler.sleep(scheduler.chance.int(4), label, process);
  return {
    clearedByInsert: true,
    async add(id, count, due) {
      await travel("note?");
      files.notes.set(id, { id, files: count, due, swept: false });
      await travel("noted");
    },
    async clear(ids) {
      await travel("clear?");
      for (const id of ids) files.notes.delete(id);
    },
    forget: (keys) => garbage.forget(keys),
    async claim(now, limit) {
      await travel("claim?");
      const due = [...files.notes.values()].filter((note) => note.due <= now).slice(0, limit);
      for (const note of due) note.swept = true;
      return {
        uploads: due.map(({ id, files: count }) => ({ id, files: count })),
        garbage: await garbage.list(limit),
      };
    },
    pending: async () => [...files.notes.values()].flatMap(keysOf),
    hold: async () => ({ release: async () => {} }),
  };
}

/** Clears the note of a submission in the transaction of its row, as the statement of PostgreSQL does; throws for one that is swept. */
export function clearNote(files: Files, id: string): void {
  const note = files.notes.get(id);
  if (!note || note.swept)
    throw new AppError("unavailable", "the files of this submission were removed meanwhile", {
      retryAfter: 1,
    });
  files.notes.delete(id);
}
