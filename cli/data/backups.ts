import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveToOwnerOf } from "../../src/base/directory.ts";
import type { Backups } from "../../src/maintenance/status.ts";
import { NAMES } from "../../src/storage.ts";

/** How the newest backups ended. */
export type BackupRecord = Pick<Backups, "last" | "failure"> & {
  arrived: NonNullable<Backups["arrived"]> | null;
};

/** The variable by which a server marks the backup of its own command as in the audit log already. */
export const RECORDED = "FORMFLAG_BACKUP_RECORDED";

/** The end of the name of an archive that the server has not verified yet. */
export const UNVERIFIED = ".unverified";

/** Reads what is known of the backups of a folder: a data directory, or that of the backups of a shared database. */
export function readBackups(folder: string): BackupRecord {
  try {
    const record = JSON.parse(readFileSync(join(folder, NAMES.backups), "utf8")) as Partial<BackupRecord>;
    const { last = null, failure = null, arrived = null } = record;
    return { last, failure, arrived };
  } catch {
    // There was none yet, or the disk is failing, which other checks report.
    return { last: null, failure: null, arrived: null };
  }
}

/** Records how a backup ended, unless the disk takes nothing: that is never a reason for a backup to fail. */
export function noteBackup(folder: string, change: Partial<BackupRecord>): void {
  const file = join(folder, NAMES.backups);
  try {
    const record = { ...readBackups(folder), ...change };
    writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    giveToOwnerOf(folder, [`${file}.new`]);
    renameSync(`${file}.new`, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
