import { durationInWords } from "../../base/units.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import type { Backups } from "../status.ts";

/** Checks that the last backup did not fail, and that a schedule is kept: half a period late is still well. */
export function checkBackups(
  { directory, every, last, failure }: Backups,
  now: number,
  option: (setting: string) => string,
): Finding {
  const check = "backup";
  if (failure !== null)
    return problem(
      check,
      `the one of ${failure.at} failed: ${failure.error}`,
      "fix the cause: the server tries again every 15 minutes, and keeps the older ones",
    );
  if (every === null) {
    const how = `the server makes them with ${option("backup-dir")}`;
    return ok(check, last === null ? `none is known; ${how}` : `the last one is of ${last.at}; ${how}`);
  }
  const schedule = `one is due every ${durationInWords(every)} in ${directory}`;
  if (last === null) return ok(check, `there is none yet; ${schedule}`);
  if (now - Date.parse(last.at) <= every * 1500)
    return ok(check, `the last one is of ${last.at}; ${schedule}`);
  return warning(
    check,
    `the last one is of ${last.at}, although ${schedule}`,
    "does the server run, and all the time?",
  );
}
