import type { App } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import type { S3Location } from "../../src/blobs/s3/url.ts";

/** Throws `forbidden` or `unavailable`, naming the bucket, if it cannot be used as configured or is down. */
export async function requireBucket(
  { bucket, region, endpoint }: S3Location,
  blobs: App["blobs"],
): Promise<void> {
  try {
    await blobs.ready();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `the bucket ${bucket} in ${region} at ${endpoint}: ${error.message}`, {
      ...(error.reason !== null && { reason: error.reason }),
      ...(error.hint !== null && { hint: error.hint }),
      cause: error.cause,
    });
  }
}
