import { resolve } from "node:path";
import { clock, isoTime } from "../../src/base/clock.ts";
import { type Backups, NO_BACKUPS, type ServerFacts } from "../../src/maintenance/status.ts";
import type { Storage } from "../../src/storage.ts";
import { readBackups } from "../data/backups.ts";
import { readServing, senderUrl } from "../data/serving.ts";
import { newestIn } from "./backups/folder.ts";
import type { Settings } from "./settings.ts";
import { type BackupSettings, readBackup } from "./backups/schedule-options.ts";

/** The facts of data that no server runs on. */
export function factsOf({ data, shared }: Storage, version: string): ServerFacts {
  return {
    version,
    startedAt: null,
    address: null,
    dashboard: null,
    data: shared === null || shared.files.kind === "directory" ? resolve(data) : null,
    database:
      shared === null
        ? { kind: "sqlite", name: "formflag.db" }
        : { kind: "postgres", name: `${shared.database.database} on ${shared.database.host}` },
    backup: NO_BACKUPS,
  };
}

/**
 * The same with the server that runs on a data directory. `servers` are the settings of those of a shared database: the backups
 * are of the first that makes some.
 */
export function localFacts(storage: Storage, version: string, servers: readonly Settings[]): ServerFacts {
  const facts = factsOf(storage, version);
  const serving = storage.shared === null ? readServing(storage.data) : null;
  const settings =
    [...(serving?.settings ? [serving.settings] : []), ...servers]
      .map(readBackup)
      .find((each) => each !== null) ?? null;
  const next = settings === null ? null : nextOf(settings);
  const backup = { ...recordedBackups(storage, settings), next };
  if (serving === null) return { ...facts, backup };
  const { startedAt, origin, dashboard, version: itsVersion } = serving;
  // The certificate is for that name alone.
  const address = serving.settings?.["domain"] === undefined ? origin : senderUrl(serving.settings, origin);
  return {
    ...facts,
    version: itsVersion,
    startedAt,
    address,
    dashboard,
    backup,
  };
}

/** The backups of a server with these settings, by the record of a folder. */
export function recordedBackups({ data, shared }: Storage, settings: BackupSettings | null): Backups {
  const folder = shared === null ? data : (settings?.directory ?? null);
  const { last, failure } = folder === null ? NO_BACKUPS : readBackups(folder);
  // A failure is of no interest once the server makes none any more.
  return { ...NO_BACKUPS, ...settings, last, failure: settings === null ? null : failure };
}

/** The time of the next backup on schedule, which a failure or another backup may delay. */
function nextOf({ directory, every }: BackupSettings): string {
  const last = newestIn(directory, clock.now());
  const due = last === null ? 0 : Date.parse(last.at) + every * 1000;
  return isoTime(Math.max(due, clock.now()));
}
