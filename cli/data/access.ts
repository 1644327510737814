import { type Stats, accessSync, constants, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { isOnReadOnlyDisk } from "../../src/base/directory.ts";
import { shellWord } from "../../src/base/shell.ts";
import { NAMES } from "../../src/storage.ts";
import { nameOfUser } from "../session/user.ts";

/** Throws `forbidden` for a data directory that is a file, or that this user may not enter. One that is missing is none. */
export function refuseClosed(data: string): void {
  const stats = statsOf(data);
  if (stats === null) return;
  if (!stats.isDirectory()) {
    const folder = basename(data) === NAMES.database ? dirname(data) : "DIR";
    throw new AppError("forbidden", `${data} is a file, and a data directory is a folder`, {
      hint: `name the folder that holds formflag.db, or a new one: --data ${folder}`,
    });
  }
  requireAccess(data, constants.R_OK | constants.X_OK, "open");
}

/**
 * Throws `forbidden` for a data directory that cannot be written. SQLite opens a read-only database without an error, and a
 * server would then refuse every submission; a command that only reads may use a disk that is mounted read-only.
 */
export function refuseUnwritable(data: string, mayRead: boolean): void {
  if (statsOf(data) === null) return;
  if (!isOnReadOnlyDisk(data)) return requireAccess(data, constants.W_OK, "write to");
  if (mayRead) return;
  throw new AppError("forbidden", `the data directory ${data} is on a disk that is mounted read-only`, {
    hint: "mount it so that it can be written; backup create and other commands that only read work as it is",
  });
}

/** Null for what does not exist. */
function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    if (systemCode(error) === "EACCES") throw closedAbove(resolve(path), error);
    return null;
  }
}

function requireAccess(data: string, mode: number, verb: string): void {
  try {
    accessSync(data, mode);
  } catch (cause) {
    throw denied(`the data directory ${data}`, data, verb, cause);
  }
}

/** The error for a path in a folder that this user may not enter. */
function closedAbove(path: string, cause: unknown): AppError {
  const parent = dirname(path);
  try {
    statSync(parent);
    return denied(`the folder ${parent}, in which the data directory is`, parent, "enter", cause);
  } catch {
    return closedAbove(parent, cause);
  }
}

function denied(what: string, path: string, verb: string, cause: unknown): AppError {
  const { uid } = statSync(path);
  const owner = nameOfUser(uid) ?? `user ${uid}`;
  const hint =
    uid === process.getuid?.()
      ? `it is yours: chmod u+rwx ${shellWord(path)}`
      : `run this as ${owner}: put ${uid === 0 ? "sudo" : `sudo -u ${owner}`} before the command`;
  return new AppError("forbidden", `this user may not ${verb} ${what}, which belongs to ${owner}`, {
    hint,
    cause,
  });
}
