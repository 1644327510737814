import { join } from "node:path";
import type { App } from "../../../src/app.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { AppError, stackOf } from "../../../src/base/errors.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { type Backups, NO_BACKUPS } from "../../../src/maintenance/status.ts";
import { type BackupRecord, noteBackup, readBackups } from "../../data/backups.ts";
import type { Log } from "../log.ts";
import type { BackupCommands } from "./commands.ts";
import { newestIn } from "./folder.ts";
import { type BackupSettings, placesOf, shownSettings } from "./schedule-options.ts";

/** After a failure the next try is sooner than the schedule says. */
const RETRY_MS = 15 * 60_000;
/** How long the schedule waits for another backup to end. */
const BUSY_MS = 60_000;

type Surroundings = {
  data: string | null;
  log: Log;
  commands: BackupCommands;
  /** Whether another backup of the data is made. */
  isBusy: () => boolean;
};

/** Backups that are made again and again. */
type Schedule = { state: () => Backups; job: Job; stop: () => void };

/**
 * Makes backups into a folder, a bucket, or both. The newest archive of the folder is stored in the bucket too; one for the bucket
 * alone is made in the folder for temporary files. Each place has its own due time, so that the folder gets no more of them while
 * the bucket is down.
 */
export function createSchedule(
  app: App,
  settings: BackupSettings,
  { data, log, commands, isBusy }: Surroundings,
): Schedule {
  const { directory, bucket, every } = settings;
  const recordIn = data ?? directory;
  const recorded = () => (recordIn === null ? NO_BACKUPS : readBackups(recordIn));
  const ofBucket = `${shownSettings(settings).bucket}/`;
  /** The record of this process, for a disk that takes none. */
  const known: BackupRecord = {
    last: null,
    failure: recorded().failure,
    arrived: recorded().arrived ?? null,
  };
  if (!known.arrived?.file.startsWith(ofBucket)) known.arrived = null;
  let isStopping = false;
  /** The end of the wait of the schedule, after a failure or for another backup; a restart tries again at once. */
  let waitUntil = 0;

  const note = (change: Partial<BackupRecord>) => {
    Object.assign(known, change);
    if (recordIn !== null) noteBackup(recordIn, change);
  };
  const after = (last: number | undefined) => (last === undefined ? 0 : last + every * 1000);
  const folderDue = () => (directory === null ? Infinity : after(newestIn(directory, app.now())?.at));
  const bucketDue = () => {
    const at = known.arrived === null ? NaN : Date.parse(known.arrived.at);
    // No archive of a clock that was ahead is waited for, as in a folder.
    return bucket === null ? Infinity : after(at <= app.now() ? at : undefined);
  };
  const dueAt = () => {
    // The clock may have been set back since.
    const wait = Math.min(waitUntil, app.now() + RETRY_MS);
    return Math.max(wait, Math.min(folderDue(), bucketDue()));
  };
  const runJob = async () => {
    if (isStopping || app.now() < dueAt()) return;
    if (isBusy()) {
      waitUntil = app.now() + BUSY_MS;
      return;
    }
    try {
      const { makeDue } = await import("./making.ts");
      await makeDue({ app, settings, log, commands, note, folderDue, bucketDue });
      note({ failure: null });
    } catch (error) {
      if (isStopping) return;
      const { message, cause } = error instanceof AppError ? error : bugOf(error);
      waitUntil = app.now() + Math.min(RETRY_MS, every * 1000);
      note({ failure: { at: isoTime(app.now()), error: message } });
      log.error(failedInto(placesOf(settings), message, cause));
    }
  };

  return {
    state() {
      const { failure, arrived } = known;
      const newest = directory === null ? null : newestIn(directory, app.now());
      const found = newest && {
        at: isoTime(newest.at),
        file: join(directory!, newest.name),
        bytes: newest.bytes,
      };
      return {
        ...NO_BACKUPS,
        ...shownSettings(settings),
        last: recorded().last ?? known.last ?? found ?? (directory === null ? arrived : null),
        arrived,
        failure,
        next: isoTime(Math.max(dueAt(), app.now())),
      };
    },
    job: { name: "backup", every: every * 1000, next: async () => dueAt(), run: runJob },
    stop: () => void (isStopping = true),
  };
}

/** The message of a bug, whose stack is the cause for the log. */
function bugOf(error: unknown): { message: string; cause: string } {
  return { message: error instanceof Error ? error.message : String(error), cause: stackOf(error) };
}

function failedInto(places: string, message: string, cause: unknown): AppError {
  return new AppError("unavailable", `the backup into ${places} failed: ${message}`, { cause });
}
