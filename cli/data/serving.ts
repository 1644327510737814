import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../src/base/errors.ts";
import { isLocked } from "../../src/store/sqlite/lock.ts";
import { NAMES } from "../../src/storage.ts";
import type { Settings } from "../serve/settings.ts";

/** Local addresses of the server of a data directory. */
export type Serving = {
  version: string;
  /** Its executable: the path, and the file that was there when it started. Undefined for an older server. */
  executable?: { path: string; file: string | null };
  startedAt: string;
  /** The first address that it listens on, with the base path and without a slash at the end. */
  origin: string;
  /** URL of the dashboard for browsers, without `/dashboard`; null if it serves none. */
  dashboard: string | null;
  /** Its options as they are in effect; undefined for an older server. */
  settings?: Settings;
};

/** Records where the server that holds the lock of a data directory is reached, until the returned function is called. */
export function recordServing(data: string, serving: Omit<Serving, "executable">): () => void {
  const file = join(data, NAMES.serving);
  const executable = { path: process.execPath, file: fileAt(process.execPath) };
  writeFileSync(file, `${JSON.stringify({ ...serving, executable })}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The identity of the file at a path, which one in its place does not have; null for none, empty if this user may not know. */
export function fileAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch (error) {
    return systemCode(error) === "ENOENT" ? null : "";
  }
}

/** The URL at which senders reach the running server of a data directory, without a slash at the end; null if none runs. */
export function servedUrl(data: string): string | null {
  const serving = readServing(data);
  return serving && senderUrl(serving.settings, serving.origin);
}

/** The same of a server with these settings: that of `--public-url`, or its local address. */
export function senderUrl(settings: Settings | undefined, address: string): string {
  const publicUrl = settings?.["publicUrl"] as string | null | undefined;
  return (publicUrl ?? address).replace(/\/+$/, "");
}

/** The options of the server that runs on a data directory; undefined if none is known, or its lock cannot be read. */
export function runningSettings(data: string): Settings | undefined {
  try {
    return readServing(data)?.settings;
  } catch {
    // Checks of the data directory report why.
    return undefined;
  }
}

/** Reads the record of a data directory's running server; null if none runs. */
export function readServing(data: string): Serving | null {
  // A server that was killed leaves its record behind, but not its lock.
  if (!isLocked(join(data, NAMES.serveLock))) return null;
  try {
    return JSON.parse(readFileSync(join(data, NAMES.serving), "utf8")) as Serving;
  } catch {
    // Not written yet, or by an older server not at all.
    return null;
  }
}
