import { clock, isoTime } from "../../../src/base/clock.ts";
import { type Backups, NO_BACKUPS, type ServerFacts } from "../../../src/maintenance/status.ts";
import type { Storage } from "../../../src/storage.ts";
import { readBackups } from "../../data/backups.ts";
import { readServing, senderUrl } from "../../data/serving.ts";
import { newestIn } from "./folder.ts";
import { type BackupSettings, readBackup, shownSettings } from "./schedule-options.ts";
import { factsOf } from "../facts.ts";
import type { Settings } from "../settings.ts";

/**
 * The facts of data and of the server that runs on a data directory. `servers` are the settings of those of a shared database: the backups
 * are of the first that makes some.
 */
export function localFacts(storage: Storage, version: string, servers: readonly Settings[]): ServerFacts {
  const facts = factsOf(storage, version);
  const serving = storage.shared === null ? readServing(storage.data) : null;
  const settings =
    [...(serving?.settings ? [serving.settings] : []), ...servers]
      .map(readBackup)
      .find((each) => each !== null) ?? null;
  const recorded = recordedBackups(storage, settings);
  const backup = { ...recorded, next: settings && nextOf(settings, recorded) };
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
  // A server of a shared database that has no folder for them records its backups nowhere.
  const { last, failure, arrived } =
    folder === null ? { ...NO_BACKUPS, arrived: undefined } : readBackups(folder);
  if (settings === null) return { ...NO_BACKUPS, last };
  // A failure is of no interest once the server makes none any more.
  return { ...NO_BACKUPS, ...shownSettings(settings), last, arrived, failure };
}

/** The time of the next backup on schedule, which a failure or another backup may delay. */
function nextOf({ directory, bucket, every }: BackupSettings, { arrived }: Backups): string {
  const after = (last: number | undefined) => (last === undefined ? 0 : last + every * 1000);
  const now = clock.now();
  const ofFolder = directory === null ? Infinity : after(newestIn(directory, now)?.at);
  const ofBucket = bucket === null ? Infinity : after(arrived ? Date.parse(arrived.at) : undefined);
  return isoTime(Math.max(Math.min(ofFolder, ofBucket), now));
}
