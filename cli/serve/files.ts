import { resolve } from "node:path";
import type { App } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import type { FilesPlace } from "../data/storage.ts";
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
    await blobs.ready();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === "storage-unavailable") return log.error(error);
    const { bucket, region, endpoint } = files.location;
    const message = `the bucket ${bucket} in ${region} at ${endpoint}: ${error.message}`;
    throw new AppError(error.code, message, {
      ...(error.reason !== null && { reason: error.reason }),
      ...(error.hint !== null && { hint: error.hint }),
      cause: error,
    });
  }
}
