import { NAMES } from "../../storage.ts";
import { type Stats, accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { shellWord } from "../../base/shell.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import { codeOf } from "./error-code.ts";
import type { Surroundings } from "./surroundings.ts";

/** Parts of a data directory, any of which may be missing. */
const PARTS = [
  NAMES.database,
  `${NAMES.database}-wal`,
  `${NAMES.database}-shm`,
  NAMES.serveLock,
  NAMES.uploads,
  join(NAMES.uploads, "staging"),
];

/** Checks the data directory, its owner and its permissions; `usable` if further checks can read it. */
export function checkDirectory(data: string, by: Surroundings): { usable: boolean; findings: Finding[] } {
  const path = resolve(data);
  const missing = (message: string, hint: string) => ({
    usable: false,
    findings: [problem("directory", message, hint)],
  });
  let directory: Stats | undefined;
  try {
    directory = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return missing(`${path} cannot be accessed (${codeOf(error)})`, "run this as the user that serves it");
  }
  if (!directory) {
    const create = `formflag serve ${by.option("data")} ${shellWord(data)}`;
    return missing(`${path} does not exist`, `name it with ${by.option("data")}, or create one: ${create}`);
  }
  if (!directory.isDirectory())
    return missing(`${path} is not a directory`, `name another with ${by.option("data")}`);
  const parts = [{ name: path, path, stats: directory }];
  for (const name of PARTS) {
    const stats = statPart(join(path, name));
    if (stats) parts.push({ name, path: join(path, name), stats });
  }
  const findings = [ok("directory", path)];
  // Windows has neither owners nor modes of this kind.
  if (process.getuid)
    findings.push(checkOwner(path, parts, process.getuid(), by), checkModes(path, parts, by));
  findings.push(checkAccess(path, parts));
  return { usable: isReadable(path), findings };
}

type Part = { name: string; path: string; stats: Stats };

/** Undefined if the part is missing, or hidden from this user, which the check of access reports. */
function statPart(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    codeOf(error);
    return undefined;
  }
}

function checkOwner(path: string, parts: Part[], user: number, { nameOfUser }: Surroundings): Finding {
  const userOf = (uid: number) => nameOfUser(uid) ?? String(uid);
  const check = "owner";
  const owner = parts[0]!.stats.uid;
  const other = parts.find(({ stats }) => stats.uid !== owner);
  if (other) {
    return warning(
      check,
      `${other.name} belongs to ${userOf(other.stats.uid)}, the directory to ${userOf(owner)}`,
      `let all belong to who serves it: chown -R ${userOf(owner)} ${shellWord(path)}`,
    );
  }
  // Files that root creates are given to the owner.
  if (owner !== user && user !== 0) {
    return warning(
      check,
      `the directory belongs to ${userOf(owner)}, and this is ${userOf(user)}`,
      `run commands on it as ${userOf(owner)}: what another user creates there, the server may not be able to use`,
    );
  }
  return ok(check, userOf(owner));
}

function checkModes(path: string, parts: Part[], { env }: Surroundings): Finding {
  const check = "permissions";
  const mode = parts[0]!.stats.mode;
  // Users who may not enter the directory cannot reach its parts.
  const reach = (mode & 0o010 ? 0o070 : 0) | (mode & 0o001 ? 0o007 : 0);
  const open = (bits: number) =>
    parts
      .filter(({ stats }, index) => stats.mode & bits & (index === 0 ? 0o077 : reach))
      .map(({ name }) => name)
      .join(", ");
  const hint = `let only its owner in: chmod -R go= ${shellWord(path)}`;
  const [writable, readable] = [open(0o022), open(0o044)];
  if (writable) {
    const report = env["FORMFLAG_SHARED_DATA"] === "1" ? warning : problem;
    return report(check, `other users may write to ${writable}`, hint);
  }
  if (readable) return warning(check, `other users may read ${readable}`, hint);
  return ok(check, `only the owner gets in (mode ${(mode & 0o777).toString(8)})`);
}

function checkAccess(path: string, parts: Part[]): Finding {
  const { R_OK, W_OK, X_OK } = constants;
  for (const { name, path, stats } of parts) {
    try {
      accessSync(path, R_OK | W_OK | (stats.isDirectory() ? X_OK : 0));
    } catch (error) {
      const code = codeOf(error);
      const hint =
        code === "EROFS"
          ? "its disk is mounted read-only"
          : "run this as the user that serves it, or chown it";
      return problem("access", `this user may not read and write ${name} (${code})`, hint);
    }
  }
  return ok("access", `${path} can be read and written`);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    codeOf(error);
    return false;
  }
}
