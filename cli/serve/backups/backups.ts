import { join } from "node:path";
import type { App } from "../../../src/app.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Job } from "../../../src/base/jobs.ts";
import { type Backups, NO_BACKUPS } from "../../../src/maintenance/status.ts";
import type { Download } from "../../../src/operations/deployment.ts";
import { NAMES } from "../../../src/storage.ts";
import { isLocked } from "../../../src/store/sqlite/lock.ts";
import { readBackups } from "../../data/backups.ts";
import type { Log } from "../log.ts";
import { createBackupCommands } from "./commands.ts";
import type { BackupSettings } from "./schedule-options.ts";

export type BackupOptions = {
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
export async function createBackups(
  app: App,
  { settings, data, log, env, program }: BackupOptions,
): Promise<BackupService> {
  const commands = createBackupCommands(env, program);
  const isBusy = () => commands.isRunning() || (data !== null && isLocked(join(data, NAMES.backupLock)));
  // Loaded by the servers that have one.
  const scheduling = settings && (await import("./schedule.ts"));
  const schedule = scheduling && scheduling.createSchedule(app, settings, { data, log, commands, isBusy });
  return {
    state: () => schedule?.state() ?? { ...NO_BACKUPS, last: data === null ? null : readBackups(data).last },
    job: schedule?.job ?? null,
    async download() {
      if (isBusy())
        throw new AppError("unavailable", "another backup is being made: try again once it is done");
      return commands.download(app.now());
    },
    stop() {
      schedule?.stop();
      commands.stop();
    },
  };
}
