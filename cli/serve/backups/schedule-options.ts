import { resolve } from "node:path";
import { Option } from "commander";
import { usage } from "../../session/usage.ts";
import { countValue, durationValue } from "../../session/values.ts";

/** The options of backups that a server makes itself. */
export function backupOptions(): Option[] {
  return [
    new Option("--backup-dir <dir>", "folder for automatic backups, preferably on another disk").env(
      "FORMFLAG_BACKUP_DIR",
    ),
    new Option("--backup-every <time>", "time between backups, with --backup-dir (default: 24h)").env(
      "FORMFLAG_BACKUP_EVERY",
    ),
    new Option("--backup-keep <n>", "number of backups to keep, with --backup-dir (default: 7)").env(
      "FORMFLAG_BACKUP_KEEP",
    ),
  ];
}

/** The folder of the backups of a server as an absolute path, the seconds between two, and how many it keeps. */
export type BackupSettings = { directory: string; every: number; keep: number };

/** Less often than that, a schedule is a mistake; more often, one backup would follow the other. */
const [LEAST, MOST] = [60, 366 * 86_400];

/** The settings of backups by the options of `serve`; null for none. Throws `invalid`. */
export function readBackup(options: Record<string, unknown>): BackupSettings | null {
  const { backupDir, backupEvery, backupKeep } = options as Record<string, string | undefined>;
  const every = durationValue(backupEvery ?? "24h", "--backup-every");
  if (every < LEAST || every > MOST)
    throw usage(`--backup-every is from 1m to 366d, not ${backupEvery}`, "times look like 6h, 1d or 1w");
  const keep = countValue(backupKeep ?? "7", "--backup-keep", 1);
  if (backupDir === undefined && (backupEvery ?? backupKeep) !== undefined)
    throw usage(
      `${backupEvery === undefined ? "--backup-keep" : "--backup-every"} needs --backup-dir: no backup would be made`,
      "name a folder, as in --backup-dir /var/backups/formflag",
    );
  return backupDir === undefined ? null : { directory: resolve(backupDir), every, keep };
}
