import { join, resolve } from "node:path";
import type { App } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import type { Job } from "../../src/base/jobs.ts";
import { abandonedFilesJob } from "../../src/blobs/abandoned.ts";
import { NAMES } from "../../src/storage.ts";
import { requireBucket } from "../data/require-bucket.ts";
import type { FilesPlace } from "../../src/storage.ts";
import type { Log } from "./log.ts";

/**
 * Checks at the start where a server of a shared database stores files. Throws `forbidden` or `unavailable` for a bucket
 * that cannot be used as configured; one that is down for the moment is only logged.
 */
export async function checkFiles(files: FilesPlace, { blobs }: Pick<App, "blobs">, log: Log): Promise<void> {
  if (files.kind === "none")
    return log.line("info", "submissions with files are refused: neither --blobs nor --data was given");
  if (files.kind === "directory")
    return log.line(
      "info",
      `files are stored in ${resolve(files.data)}, where servers on other machines do not find them`,
    );
  try {
    await requireBucket(files.location, blobs);
  } catch (error) {
    if (!(error instanceof AppError && error.reason === "storage-unavailable")) throw error;
    log.error(error);
  }
}

/** The jobs of a server of a shared database for the place of its files. */
export function filesJobs(files: FilesPlace, now: () => number): Job[] {
  return files.kind === "directory" ? [abandonedFilesJob(join(files.data, NAMES.uploads), now)] : [];
}
