import { clock } from "../../base/clock.ts";
import { NAMES } from "../../storage.ts";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { type SendingForm, inspectDatabase } from "../../store/sqlite/inspect.ts";
import { shellWord } from "../../base/shell.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import { codeOf } from "./error-code.ts";
import type { Surroundings } from "./surroundings.ts";

const MiB = 1024 ** 2;
/** The structure of a larger database is not checked, which would take long. */
const QUICK = 256 * MiB;
/** SQLite checkpoints its log from 4 MB on, unless something prevents it. */
const LARGE_LOG = 64 * MiB;
/** An upload without changes for this many milliseconds was cut off. */
const STALE = 3_600_000;

/**
 * Checks the database, its log and unfinished uploads. For a database that this process serves, the structure is not
 * checked, which is slow. `newest` is the time of the last change, in milliseconds since 1970; `sending` lists the
 * forms whose submissions are sent somewhere.
 */
export function checkDatabase(
  data: string,
  isServed: boolean,
  by: Surroundings,
): {
  newest: number;
  sending: SendingForm[];
  findings: Finding[];
} {
  const file = join(data, NAMES.database);
  if (!existsSync(file)) return { newest: 0, sending: [], findings: [checkAbsent(data)] };
  const { size, mtimeMs } = statSync(file);
  const { finding, stored, sending } = inspect(
    file,
    size <= QUICK && !isServed,
    `formflag check ${by.option("data")} ${shellWord(data)}`,
  );
  return {
    newest: Math.max(stored, mtimeMs),
    sending,
    findings: [finding, checkLog(`${file}-wal`), ...checkStaging(join(data, NAMES.uploads, "staging"))],
  };
}

/** The finding for a directory without a database: a new one, or one that has lost it. */
function checkAbsent(data: string): Finding {
  const left = [`${NAMES.database}-wal`, NAMES.uploads].find((name) => existsSync(join(data, name)));
  if (left === undefined) return ok("database", "there is none yet: the first start creates it");
  const message = `there is none beside ${left}, which belongs to one: the first start creates an empty one`;
  return warning("database", message, "put it back, or restore it from a backup");
}

type Inspected = { finding: Finding; stored: number; sending: SendingForm[] };

function inspect(file: string, isQuick: boolean, whole: string): Inspected {
  const check = "database";
  try {
    const { schema, newest, sending, damage } = inspectDatabase(file, { isQuick });
    const structure = isQuick ? "is sound" : "was not checked";
    const message = `${formatBytes(statSync(file).size)}, schema ${schema}; its structure ${structure}, formflag check checks all of it`;
    if (damage.length === 0) return { finding: ok(check, message), stored: newest ?? 0, sending };
    const hint = `stop the server and check all of it: ${whole}`;
    return { finding: problem(check, `it is damaged: ${damage[0]}`, hint), stored: 0, sending };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { finding: problem(check, error.message, error.hint ?? whole), stored: 0, sending: [] };
  }
}

function checkLog(file: string): Finding {
  const size = existsSync(file) ? statSync(file).size : 0;
  const message = `${formatBytes(size)} of write-ahead log`;
  if (size <= LARGE_LOG) return ok("log", message);
  const hint = "something keeps the database open, or a server was killed: end it and start the server again";
  return warning("log", message, hint);
}

function checkStaging(staging: string): Finding[] {
  const check = "leftovers";
  let names: string[];
  try {
    names = existsSync(staging) ? readdirSync(staging) : [];
  } catch (error) {
    codeOf(error);
    // Reported by the check of access.
    return [];
  }
  const limit = clock.now() - STALE;
  const isStale = (name: string) =>
    (statSync(join(staging, name), { throwIfNoEntry: false })?.mtimeMs ?? limit) < limit;
  const count = names.filter(isStale).length;
  if (count === 0) return [ok(check, "no uploads that were cut off")];
  const files = count === 1 ? "1 file" : `${count} files`;
  return [
    warning(check, `${files} of uploads that were cut off`, "the next start of formflag serve removes them"),
  ];
}
