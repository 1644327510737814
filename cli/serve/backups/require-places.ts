import type { ArchivePlace } from "../../../src/blobs/s3/archives.ts";
import { readRecipients } from "../../../src/maintenance/encryption/age.ts";
import { parsePlace } from "../../data/archive-place.ts";
import { readS3Credentials } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import type { BackupSettings } from "./schedule-options.ts";

/**
 * The bucket of backups; null without one. Throws `invalid` for a URL or a public key with a mistake, and `unauthenticated` without
 * the credentials of the bucket.
 */
export function requirePlaces({ bucket, recipients }: BackupSettings): ArchivePlace | null {
  readRecipients(recipients);
  if (bucket === null) return null;
  const { location, name } = parsePlace(bucket);
  if (name !== null)
    throw usage("--backup-to names an archive", "name a prefix: the server chooses the names below it");
  return { location, credentials: readS3Credentials() };
}
