import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { shellWord } from "../../src/base/shell.ts";
import { nameOfUser, userName } from "../session/user.ts";
import { usage } from "../session/usage.ts";
import { type ServeConfig, lowPortsOf } from "./config.ts";
import { addressError } from "./listen.ts";
import type { Log } from "./log.ts";

/**
 * Checks what a server uses later, before it writes anything. Throws `forbidden` for a folder that this user may not write to,
 * and `unavailable` for a port under 1024 that this user may not use.
 */
export async function checkBeforehand(config: ServeConfig, log: Log): Promise<void> {
  const { backups, audit } = config;
  if (backups !== null && (backups.bucket !== null || backups.recipients.length > 0))
    (await import("./backups/require-places.ts")).requirePlaces(backups);
  if (backups !== null && backups.directory !== null) {
    const isThere = requireWritable("--backup-dir", backups.directory);
    if (!isThere)
      log.line("info", `the folder of backups ${backups.directory} does not exist: it is created`);
  }
  if (audit.file !== null) requireWritable("--audit-file", dirname(audit.file));
  for (const address of lowPortsOf(config)) requireLowPort(address);
}

/** Whether a folder exists. Throws `invalid` for one that this user may not write to, or create above it. */
function requireWritable(option: string, folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    try {
      if (!statSync(path).isDirectory())
        throw usage(`${option}: ${path} is a file, and has to be a folder`, "name another folder");
      accessSync(path, constants.W_OK | constants.X_OK);
      return path === folder;
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (!/^ENO(?:ENT|TDIR)$/.test(systemCode(error))) throw unwritable(option, folder, path, error);
    }
  }
}

function unwritable(option: string, folder: string, path: string, cause: unknown): AppError {
  const owner = ownerOf(path);
  const whose = owner === null ? "" : `, which belongs to ${owner}`;
  return new AppError(
    "forbidden",
    `${option}: this user may not write to ${path}${whose} (${systemCode(cause)})`,
    {
      hint: `name another folder, or let it own this one: sudo install -d -o ${shellWord(userName())} ${shellWord(folder)}`,
      cause,
    },
  );
}

function ownerOf(path: string): string | null {
  try {
    const { uid } = statSync(path);
    return nameOfUser(uid) ?? `user ${uid}`;
  } catch {
    return null;
  }
}

function requireLowPort({ hostname, port }: { hostname: string; port: number }): void {
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
  } catch (error) {
    // A port that is in use may be that of a server on the same data, which is said first.
    if (systemCode(error) === "EACCES") throw addressError(error, `${hostname}:${port}`);
  }
}
