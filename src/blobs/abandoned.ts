import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { HOUR_MS } from "../base/days.ts";
import { ignoreMissing } from "../base/directory.ts";
import type { Job } from "../base/jobs.ts";
import { STAGING } from "./disk.ts";
import { diskError } from "./disk-error.ts";

/** Milliseconds since the last write to a file after which no process is still at it. */
const ABANDONED_MS = 24 * HOUR_MS;

/** The names of staged files, beside which notes may be. */
const STAGED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The job that removes staged files of killed processes from an upload directory that several processes share. Files
 * do not record their owner: a file without a write for a day is abandoned, however slow its sender.
 */
export function abandonedFilesJob(root: string, now: () => number): Job {
  const staging = join(root, STAGING);
  return {
    name: "abandoned files",
    every: HOUR_MS,
    async run() {
      try {
        for (const name of await readdir(staging)) {
          if (!STAGED.test(name)) continue;
          const path = join(staging, name);
          const status = await stat(path).catch(ignoreMissing);
          if (status && now() - status.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
        }
      } catch (error) {
        throw diskError(error);
      }
    },
  };
}
