import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ITSELF, recordEvent } from "../../../src/access/audit/audit.ts";
import type { App } from "../../../src/app.ts";
import { formatBytes } from "../../../src/base/bytes.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { automaticName } from "../../data/archive-names.ts";
import { openPlace } from "../../data/archive-place.ts";
import { type BackupRecord, UNVERIFIED } from "../../data/backups.ts";
import { openPartial } from "../../data/partial.ts";
import type { Log } from "../log.ts";
import type { BackupCommands } from "./commands.ts";
import { addArchive, automaticOf, newestIn, removeOld, requireSpace } from "./folder.ts";
import { outdated } from "./keep.ts";
import type { BackupSettings } from "./schedule-options.ts";

type Making = {
  app: App;
  settings: BackupSettings;
  log: Log;
  commands: BackupCommands;
  note: (change: Partial<BackupRecord>) => void;
  /** When the next one of each place is due, in milliseconds since 1970. */
  folderDue: () => number;
  bucketDue: () => number;
};

/** Makes the backups that are due, into the folder first. Throws `unavailable` if that fails. */
export async function makeDue(making: Making): Promise<void> {
  const { app, settings, note, folderDue, bucketDue } = making;
  const { directory, bucket } = settings;
  const at = app.now();
  if (directory !== null && folderDue() <= at) await addToFolder(making, directory, at);
  if (bucket === null || bucketDue() > at) return;
  // Another server, or this one before its disk was replaced, may have stored some.
  const [newest] = await automaticIn(bucket, at);
  if (newest) note({ arrived: newest });
  if (bucketDue() > at) return;
  if (directory !== null) return addToBucket(making, bucket, await archiveOf(making, directory, at), at);
  using partial = openPartial(tmpdir());
  const file = partial.path(automaticName(at, isEncrypted(settings)));
  await requireSpace(app, dirname(file));
  await createArchive(making, file, null);
  await addToBucket(making, bucket, file, at);
}

function isEncrypted({ recipients }: BackupSettings): boolean {
  return recipients.length > 0;
}

/** Creates and verifies an archive, which has its own name or that of one that is not verified yet. Returns its bytes. */
async function createArchive(
  { app, settings, log, commands }: Making,
  file: string,
  folder: string | null,
): Promise<number> {
  // A backup is worth more than its entry.
  await recordEvent(app, ITSELF, {
    action: "backup.create",
    project: null,
    object: basename(file).replace(UNVERIFIED, ""),
    details: { to: settings.directory === null ? "bucket" : "folder" },
  }).catch(log.error);
  const to = settings.recipients.flatMap((each) => ["--backup-recipient", each]);
  const { bytes } = await commands.run(folder, "create", "--output", file, ...to);
  // An encrypted one was verified by the only process that can read it.
  if (!isEncrypted(settings)) await commands.run(folder, "verify", file);
  return Number(bytes);
}

async function addToFolder(making: Making, folder: string, at: number): Promise<string> {
  const { app, settings, note, log } = making;
  let bytes = 0;
  const file = await addArchive(folder, automaticName(at, isEncrypted(settings)), app, async (unverified) => {
    // The database, which is unpacked to be verified, is on no other disk in the clear.
    bytes = await createArchive(making, unverified, isEncrypted(settings) ? null : folder);
  });
  note({ last: { at: isoTime(at), file, bytes } });
  removeOld(folder, settings.keep, Math.max(app.now(), at));
  log.line("info", `made the backup ${basename(file)} and verified it (${formatBytes(bytes)})`);
  return file;
}

/** The archive of the folder for the bucket: the newest, unless that is not encrypted as it should be now. */
async function archiveOf(making: Making, folder: string, at: number): Promise<string> {
  const newest = newestIn(folder, at);
  return newest !== null && newest.name.endsWith(".age") === isEncrypted(making.settings)
    ? join(folder, newest.name)
    : addToFolder(making, folder, at);
}

async function addToBucket(making: Making, url: string, file: string, at: number): Promise<void> {
  const { app, settings, commands, note, log } = making;
  await commands.run(dirname(file), "copy", file, url, "--yes");
  // The clock may have been set back since.
  const all = await automaticIn(url, Math.max(app.now(), at));
  const stored = all.find((each) => basename(each.file) === basename(file));
  if (stored === undefined) throw new AppError("unavailable", "the bucket does not list what it has stored");
  note({ arrived: stored, ...(settings.directory === null && { last: stored }) });
  const { bucket, urlOf } = openPlace(url);
  const times = all.map(({ at, file }) => ({ at: Date.parse(at), name: basename(file) }));
  await bucket.remove(outdated(times, settings.keep).map(({ name }) => name));
  log.line("info", `stored the backup ${basename(file)} in ${urlOf()} and read it back`);
}

/** The archives that servers stored in a bucket, the newest first. */
export async function automaticIn(url: string, now: number) {
  const { bucket, urlOf } = openPlace(url);
  return automaticOf(await bucket.list(), now).map(({ name, at, bytes }) => ({
    at: isoTime(at),
    file: urlOf(name),
    bytes,
  }));
}
