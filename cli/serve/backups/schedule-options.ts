import { resolve } from "node:path";
import { Option } from "commander";
import { usage } from "../../session/usage.ts";
import { durationValue } from "../../session/values.ts";
import { type Keep, keepValue } from "./keep.ts";

/** The options of backups that a server makes itself. */
export function backupOptions(): Option[] {
  return [
    new Option("--backup-dir <dir>", "folder for automatic backups, preferably on another disk").env(
      "FORMFLAG_BACKUP_DIR",
    ),
    new Option(
      "--backup-to <url>",
      "S3 bucket for automatic backups, such as s3://bucket/prefix?region=eu-west-1; credentials as for --blobs",
    ).env("FORMFLAG_BACKUP_TO"),
    recipientOption(),
    new Option("--backup-every <time>", "time between backups (default: 24h)").env("FORMFLAG_BACKUP_EVERY"),
    new Option(
      "--backup-keep <n>",
      "number of backups to keep, or 7d,4w,6m for one of each of the last days, weeks and months (default: 7)",
    ).env("FORMFLAG_BACKUP_KEEP"),
  ];
}

/** The option of the recipients of encrypted archives. The comment of a key may hold spaces and commas. */
export function recipientOption(): Option {
  return new Option(
    "--backup-recipient <key>",
    "public key to encrypt backups to: age1… or 'ssh-ed25519 …'; repeatable",
  )
    .env("FORMFLAG_BACKUP_RECIPIENT")
    .argParser((text: string, earlier: string[] | undefined) => [
      ...(earlier ?? []),
      ...text.trim().split(/[,\n]\s*(?=age1|ssh-)/),
    ]);
}

/**
 * The places of the backups of a server: a folder as an absolute path, a bucket as a URL, or both; the seconds between two, what
 * is kept of them, and the public keys to which they are encrypted, none for none.
 */
export type BackupSettings = {
  directory: string | null;
  bucket: string | null;
  every: number;
  keep: Keep;
  recipients: string[];
};

/** The settings as a status shows them: the bucket without what says how it is reached. */
export function shownSettings({ directory, bucket, every, keep, recipients }: BackupSettings) {
  const encrypted = recipients.length > 0;
  return { directory, bucket: bucket?.replace(/\?.*/s, "") ?? null, every, keep, encrypted };
}

/** The places of backups in words. */
export function placesOf(settings: BackupSettings): string {
  const { directory, bucket } = shownSettings(settings);
  return [directory, bucket].filter((each) => each !== null).join(" and ");
}

/** Less often than that, a schedule is a mistake; more often, one backup would follow the other. */
const [LEAST, MOST] = [60, 366 * 86_400];

/** The settings of backups by the options of `serve`; null for none. Throws `invalid`. */
export function readBackup(options: Record<string, unknown>): BackupSettings | null {
  const { backupDir, backupTo, backupEvery, backupKeep } = options as Record<string, string | undefined>;
  const every = durationValue(backupEvery ?? "24h", "--backup-every");
  if (every < LEAST || every > MOST)
    throw usage(`--backup-every is from 1m to 366d, not ${backupEvery}`, "times look like 6h, 1d or 1w");
  const keep = keepValue(backupKeep ?? "7");
  const recipients = (options["backupRecipient"] as string[] | undefined) ?? [];
  if ((backupDir ?? backupTo) !== undefined)
    return {
      directory: backupDir === undefined ? null : resolve(backupDir),
      bucket: backupTo ?? null,
      every,
      keep,
      recipients,
    };
  const alone =
    backupEvery === undefined ? (backupKeep === undefined ? null : "--backup-keep") : "--backup-every";
  if (alone !== null || recipients.length > 0)
    throw usage(
      `${alone ?? "--backup-recipient"} needs --backup-dir or --backup-to: no backup would be made`,
      "name a folder, as in --backup-dir /var/backups/formflag",
    );
  return null;
}
