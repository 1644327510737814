import { AppError } from "../../base/errors.ts";
import { durationInWords } from "../../base/units.ts";
import { BACKUP_CHECK as CHECK, type Finding, ok, problem, warning } from "../finding.ts";
import type { Backups } from "../status.ts";
import type { Surroundings } from "./surroundings.ts";

const ARRIVED = "backup arrived";

/**
 * Checks that the last backup did not fail, and that a schedule is kept in its folder and in its bucket: half a period late is still
 * well.
 */
export function checkBackups(
  { directory, bucket = null, every, last, arrived, failure }: Backups,
  now: number,
  option: (setting: string) => string,
): Finding[] {
  if (failure !== null)
    return [
      problem(
        CHECK,
        `the one of ${failure.at} failed: ${failure.error}`,
        "fix the cause: the server tries again every 15 minutes, and keeps the older ones",
      ),
    ];
  if (every === null) {
    const how = `the server makes them with ${option("backup-dir")} and ${option("backup-to")}`;
    return [ok(CHECK, last === null ? `none is known; ${how}` : `the last one is of ${last.at}; ${how}`)];
  }
  return [
    ...(directory === null ? [] : [checkAge(CHECK, last, { place: directory, every }, now)]),
    // Undefined where it is recorded on no disk of this machine.
    ...(bucket === null || arrived === undefined
      ? []
      : [checkArrived(arrived, { place: bucket, every }, now)]),
  ];
}

/** A place of backups, and the seconds from one to the next. */
type Due = { place: string; every: number };

/** Checks the age of the newest backup that arrived in a bucket. */
export function checkArrived(newest: { at: string } | null, due: Due, now: number): Finding {
  return checkAge(ARRIVED, newest, due, now);
}

function checkAge(check: string, newest: { at: string } | null, { place, every }: Due, now: number): Finding {
  const schedule = `one is due every ${durationInWords(every)} in ${place}`;
  const oldest = now - every * 1500;
  if (newest === null) return ok(check, `there is none yet; ${schedule}`);
  const found = `the last one is of ${newest.at}`;
  if (Date.parse(newest.at) >= oldest) return ok(check, `${found}; ${schedule}`);
  return warning(check, `${found}, although ${schedule}`, "does the server run, and all the time?");
}

/** Checks the bucket of backups, with an object that is removed again; nothing for a server without one. */
export async function checkBucket({ probeBackups, hintFor }: Surroundings): Promise<Finding[]> {
  try {
    return await probeBackups();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      problem(
        "backup bucket",
        error.message,
        hintFor(error) ?? "correct it before the next start of the server",
      ),
    ];
  }
}
