import { openS3Blobs } from "../../../src/blobs/s3/bucket.ts";
import type { S3Timing } from "../../../src/blobs/s3/client.ts";
import { parseS3Url } from "../../../src/blobs/s3/url.ts";
import { ACCESS_KEY, SECRET_KEY } from "./s3-signature.ts";
import { tempDirectory } from "../temp.ts";

/** Short waits, so that a test of many tries takes no time. */
export const FAST: S3Timing = { answer: 2000, stall: 2000, minDelay: 1, maxDelay: 2, window: 15_000 };

const staging = tempDirectory();

/** The driver on a bucket, with the credentials of the fake unless others are given. */
export function s3BlobsAt(
  url: string,
  {
    credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    timing = FAST,
    directory = staging,
  }: Partial<Pick<Parameters<typeof openS3Blobs>[0], "credentials" | "timing">> & { directory?: string } = {},
) {
  return openS3Blobs({ location: parseS3Url(url), credentials, staging: directory, timing });
}
