import type { ArchivePlace } from "../../../src/blobs/s3/archives.ts";
import { readRecipients } from "../../../src/maintenance/encryption/age.ts";
import { parsePlace } from "../../data/archive-place.ts";
import { readS3Credentials } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import type { BackupSettings } from "./schedule-options.ts";

/** Throws `invalid` for the URL of a bucket or a public key with a mistake. */
export function checkPlaces({ bucket, recipients }: BackupSettings): void {
  readRecipients(recipients);
  if (bucket !== null && parsePlace(bucket).name !== null)
    throw usage("--backup-to names an archive", "name a prefix: the server chooses the names below it");
}

/**
 * The bucket of backups; null without one. Throws `invalid` for a URL or a public key with a mistake, and `unauthenticated` without
 * the credentials of the bucket.
 */
export function requirePlaces(settings: BackupSettings): ArchivePlace | null {
  checkPlaces(settings);
  if (settings.bucket === null) return null;
  return { location: parsePlace(settings.bucket).location, credentials: readS3Credentials() };
}
