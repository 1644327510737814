import { type FileHandle, open } from "node:fs/promises";
import { viewAuditEntry } from "../../../src/access/audit/entry.ts";
import type { AuditApp } from "../../../src/access/audit/audit.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { diskError } from "../../data/write.ts";
import type { Log } from "../log.ts";

/** Entries that are read at once. */
const STEP = 500;

/** Milliseconds between two looks for entries, which other processes write too. */
const EVERY = 1000;

/** Bytes at the end of a file in which its last line is found; an entry has no more. */
const LAST = 1 << 20;

/**
 * The job that appends each entry of the audit log to a file, once, and goes on behind the last one in it. The file is opened
 * for each batch, so that it may be renamed in between. Throws `forbidden` and `unavailable` if it cannot be written.
 */
export async function auditFileJob(app: AuditApp, file: string, log: Log): Promise<Job> {
  let last = await inFile(file, lastIn);
  const newest = await app.store.audit.newest();
  if (last > newest) {
    log.line(
      "warn",
      `${file} ends with entry ${last}, and the audit log with ${newest}: it was restored or cut`,
    );
    last = newest;
  }
  const append = async () => {
    for (;;) {
      const { items, more } = await app.store.audit.after({ projects: null, limit: STEP, after: last });
      if (items.length === 0) return;
      const lines = items.map((entry) => `${JSON.stringify(viewAuditEntry(entry))}\n`).join("");
      await inFile(file, async (handle) => {
        await handle.appendFile(lines);
        await handle.datasync();
      });
      last = items.at(-1)!.id;
      if (!more) return;
    }
  };
  return {
    name: "audit file",
    every: EVERY,
    // Also where jobs of an idle server would rest: an entry is no change that wakes them.
    next: async () => app.now() + EVERY,
    run: append,
  };
}

async function inFile<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    await using handle = await open(file, "a+", 0o600);
    return await use(handle);
  } catch (error) {
    const known = diskError(error, `the file ${file}`);
    if (known instanceof AppError) throw known;
    throw new AppError("forbidden", `the file ${file} cannot be written`, {
      cause: error,
      hint: "the folder has to exist, and to be the server's",
    });
  }
}

/** The id of the last entry in a file; 0 without any. What a crash has left of another line is removed. */
async function lastIn(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const length = Math.min(size, LAST);
  const end = Buffer.alloc(length);
  await handle.read(end, 0, length, size - length);
  const complete = end.lastIndexOf(10) + 1;
  if (complete < length) await handle.truncate(size - length + complete);
  const line = end.subarray(0, complete).toString().trimEnd().split("\n").at(-1) ?? "";
  const [, id] = /^\{"id":(\d{1,15}),/.exec(line) ?? [];
  return id === undefined ? 0 : Number(id);
}
