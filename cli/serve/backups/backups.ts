import { basename, join } from "node:path";
import { ITSELF, recordEvent } from "../../../src/access/audit/audit.ts";
import type { App } from "../../../src/app.ts";
import { formatBytes } from "../../../src/base/bytes.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { AppError, stackOf } from "../../../src/base/errors.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { type Backups, NO_BACKUPS } from "../../../src/maintenance/status.ts";
import type { Download } from "../../../src/operations/deployment.ts";
import { NAMES } from "../../../src/storage.ts";
import { isLocked } from "../../../src/store/sqlite/lock.ts";
import { UNVERIFIED, noteBackup, readBackups } from "../../data/backups.ts";
import type { Log } from "../log.ts";
import { createBackupCommands } from "./commands.ts";
import { addArchive, newestIn, removeOld } from "./folder.ts";
import type { BackupSettings } from "./schedule-options.ts";

/** After a failure the next try is sooner than the schedule says. */
const RETRY_MS = 15 * 60_000;
/** How long the schedule waits for another backup to end. */
const BUSY_MS = 60_000;

type BackupOptions = {
  settings: BackupSettings | null;
  /** The data directory, which records backups; null for a shared database, where their folder does. */
  data: string | null;
  /** The environment in which a command finds the same data. */
  env: Record<string, string | undefined>;
  /** The command line that starts this program. */
  program?: string[];
  log: Log;
};

/** The backups of a server. */
type BackupService = {
  state: () => Backups;
  /** Makes backups on schedule; null without one. */
  job: Job | null;
  /** Begins a backup that is downloaded. Throws `unavailable` while another one is made. */
  download: () => Promise<Download>;
  /** Ends backups that are being made. */
  stop: () => void;
};

/** Creates the backups of a server: those on its schedule, never more than one at a time, and those for clients. */
export function createBackups(app: App, { settings, data, log, ...own }: BackupOptions): BackupService {
  const recordIn = data ?? settings?.directory ?? null;
  const record = () => (recordIn === null ? NO_BACKUPS : readBackups(recordIn));
  const note = (change: Parameters<typeof noteBackup>[1]) =>
    recordIn === null ? undefined : noteBackup(recordIn, change);
  const commands = createBackupCommands(own.env, own.program);
  let isStopping = false;
  let failure = settings === null ? null : record().failure;
  /** The end of the wait of the schedule, after a failure or for another backup; a restart tries again at once. */
  let waitUntil = 0;

  const isBusy = () => commands.isRunning() || (data !== null && isLocked(join(data, NAMES.backupLock)));
  const dueAt = ({ directory, every }: BackupSettings): number => {
    const last = newestIn(directory, app.now());
    // The clock may have been set back since.
    const wait = Math.min(waitUntil, app.now() + RETRY_MS);
    return Math.max(wait, last === null ? 0 : Date.parse(last.at) + every * 1000);
  };
  const makeOne = async ({ directory, keep }: BackupSettings): Promise<void> => {
    const startedAt = app.now();
    let bytes = 0;
    const file = await addArchive(directory, startedAt, app, async (unverified) => {
      // A backup is worth more than its entry.
      await recordEvent(app, ITSELF, {
        action: "backup.create",
        project: null,
        object: basename(unverified).replace(UNVERIFIED, ""),
        details: { to: "folder" },
      }).catch(log.error);
      bytes = Number((await commands.run(directory, "create", "--output", unverified))["bytes"]);
      await commands.run(directory, "verify", unverified);
    });
    failure = null;
    note({ last: { at: isoTime(startedAt), file, bytes }, failure });
    removeOld(directory, keep, Math.max(app.now(), startedAt));
    log.line("info", `made the backup ${basename(file)} and verified it (${formatBytes(bytes)})`);
  };
  const runJob = async () => {
    if (settings === null || isStopping || app.now() < dueAt(settings)) return;
    if (isBusy()) {
      waitUntil = app.now() + BUSY_MS;
      return;
    }
    try {
      await makeOne(settings);
    } catch (error) {
      if (isStopping) return;
      const { message, cause } = error instanceof AppError ? error : bugOf(error);
      failure = { at: isoTime(app.now()), error: message };
      waitUntil = app.now() + Math.min(RETRY_MS, settings.every * 1000);
      note({ failure });
      log.error(failedInto(settings.directory, message, cause));
    }
  };

  return {
    state: () => ({
      ...NO_BACKUPS,
      ...settings,
      last: record().last ?? (settings && newestIn(settings.directory, app.now())),
      failure,
      next: settings && isoTime(Math.max(dueAt(settings), app.now())),
    }),
    job: settings && {
      name: "backup",
      every: settings.every * 1000,
      next: async () => dueAt(settings),
      run: runJob,
    },
    async download() {
      if (isBusy())
        throw new AppError("unavailable", "another backup is being made: try again once it is done");
      return commands.download(app.now());
    },
    stop() {
      isStopping = true;
      commands.stop();
    },
  };
}

/** The message of a bug, whose stack is the cause for the log. */
function bugOf(error: unknown): { message: string; cause: string } {
  return { message: error instanceof Error ? error.message : String(error), cause: stackOf(error) };
}

function failedInto(directory: string, message: string, cause: unknown): AppError {
  return new AppError("unavailable", `the backup into ${directory} failed: ${message}`, { cause });
}
