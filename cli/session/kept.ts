import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { isObject } from "../../src/base/json.ts";
import type { Io } from "../output/terminal.ts";
import { printable } from "../output/text.ts";
import { env } from "./env.ts";
import { readWhole } from "./read-whole.ts";
import { usage } from "./usage.ts";

/** The choices of a user for later commands: the server of `login`, the project and the environment of `use`. */
export type Kept = { server?: string; project?: string; environment?: string };

const NAMES = ["server", "project", "environment"] as const;

/** The folder of a user's own settings. */
function configFolder(): string {
  const config = env["XDG_CONFIG_HOME"];
  // The specification of base directories has paths that are not absolute ignored.
  const base = config?.startsWith("/") ? config : join(home(), ".config");
  return join(base, "formflag");
}

const home = () => env["HOME"] ?? homedir();

const fileOf = () => join(configFolder(), "config.json");

/**
 * The choices of the user who runs this command. Throws `invalid` for a file that holds anything else, `forbidden` for one that
 * cannot be read.
 */
export function readKept(): Kept {
  const file = fileOf();
  if (!existsSync(file)) return {};
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "") throw unreadable(file, cause);
    const hint = "it has to belong to you: sudo -H takes the home of the other user";
    throw new AppError("forbidden", `the file ${file} cannot be read: ${code}`, { hint, cause });
  }
  if (!isObject(value) || !NAMES.every((name) => ["string", "undefined"].includes(typeof value[name])))
    throw unreadable(file);
  return value;
}

function unreadable(file: string, cause?: unknown): AppError {
  const hint = "remove it, and choose again with formflag use or formflag login";
  return new AppError("invalid", `the file ${file} is not one that formflag has written`, { hint, cause });
}

/** Changes the choices; undefined takes one back. Throws `unavailable` if the file cannot be written. */
export function keep(change: { [name in keyof Kept]: string | undefined }): void {
  const text = JSON.stringify({ ...readKept(), ...change }, null, 2);
  writeOwn(fileOf(), `${text}\n`);
}

/** Replaces a file that only this user reads. Throws `unavailable` if it cannot be written. */
function writeOwn(file: string, text: string): void {
  const partial = `${file}.${process.pid}.part`;
  const folder = dirname(file);
  try {
    const owner = statSync(thereOf(folder));
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    // With sudo, the home may be that of the user who typed it, for whom files of root would be closed.
    const isForeign = process.geteuid?.() === 0 && owner.uid !== 0;
    const first = isForeign ? (made?.length ?? Infinity) : Infinity;
    for (let each = folder; each.length >= first; each = dirname(each))
      lchownSync(each, owner.uid, owner.gid);
    const handle = openSync(partial, "wx", 0o600);
    try {
      writeFileSync(handle, text);
      fchmodSync(handle, 0o600);
      if (isForeign) fchownSync(handle, owner.uid, owner.gid);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(partial, file);
  } catch (cause) {
    rmSync(partial, { force: true });
    throw new AppError("unavailable", `the file ${file} cannot be written: ${systemCode(cause)}`, {
      hint: "its folder has to belong to you: XDG_CONFIG_HOME names another, and sudo -H takes that of the other user",
      cause,
    });
  }
}

/** The folder, or the nearest above it that is there. */
function thereOf(folder: string): string {
  return existsSync(folder) ? folder : thereOf(dirname(folder));
}

/** The options that name where the data is. */
const PLACES = ["data", "database", "blobs", "server"];

/** Commands that begin something of their own, or are about none of a user's data. */
const ALONE = new Set(["serve", "demo", "service", "upgrade", "completion", "healthcheck", "docs"]);

/**
 * Fills in what neither the command line nor a variable says: a flag in one word, the server, project and environment that the
 * user has chosen, the data of the installed service. Throws `invalid` if they cannot be.
 */
export function fillIn(command: Command, io: Io): void {
  let [root, noun] = [command, command];
  for (; root.parent; root = root.parent) noun = root;
  if (ALONE.has(noun.name())) return;
  splitFlag(command);
  const kept = readKept();
  const isOpen = (on: Command, name: string) =>
    [undefined, "default"].includes(on.getOptionValueSource(name));
  const set = (on: Command, name: string, value: unknown) =>
    on.setOptionValueWithSource(name, value, "config");
  if (PLACES.every((name) => isOpen(root, name))) {
    if (kept.server !== undefined) set(root, "server", kept.server);
    else {
      const data = serviceData();
      if (data !== null) set(root, "data", data);
      if (data !== null && root.opts()["quiet"] !== true)
        io.note(printable(`using the service's data: ${data}`) + "\n");
    }
  }
  // The same names may stand for something else in another place.
  if (PLACES.some((name) => root.getOptionValueSource(name) === "cli")) return;
  const has = (name: string) => command.options.some((option) => option.attributeName() === name);
  if (kept.project === undefined || !has("project") || !isOpen(command, "project")) return;
  set(command, "project", kept.project);
  if (kept.environment === undefined || !has("environment") || !isOpen(command, "environment")) return;
  const isList = command.options.some(
    (option) => option.attributeName() === "environment" && "isList" in option,
  );
  set(command, "environment", isList ? [kept.environment] : kept.environment);
}

/** Makes `shop/production/search` the flag `search` with `-p shop -e production`. */
function splitFlag(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (argument.name() !== "flag") continue;
    const given: unknown = command.processedArgs[index];
    const flags = (Array.isArray(given) ? given : [given]) as (string | undefined)[];
    const parts = flags.map((flag) => flag?.split("/") ?? []);
    if (!parts.some(({ length }) => length === 3)) continue;
    const [[project, environment] = []] = parts;
    if (!parts.every((each) => each.length === 3 && each[0] === project && each[1] === environment))
      throw usage(
        "these flags are not in one environment",
        "write each of them with the same project and environment, as in shop/production/search",
      );
    for (const [name, value] of Object.entries({ project, environment })) {
      const option = command.options.find((each) => each.attributeName() === name);
      if (!option)
        throw usage(
          `this command takes no ${name}`,
          `write the flag alone: ${parts.map((each) => each[2]).join(" ")}`,
        );
      if (command.getOptionValueSource(name) === "cli" && String(command.opts()[name]) !== value)
        throw usage(`the flag names another ${name} than -${name[0]}`, `leave out -${name[0]}`);
      command.setOptionValueWithSource(name, "isList" in option ? [value] : value, "cli");
    }
    const names = parts.map((each) => each[2]!);
    command.processedArgs[index] = Array.isArray(given) ? names : names[0];
  }
}

/** The data directory of the installed service, if there is none here; null without a service. */
function serviceData(): string | null {
  if (existsSync("formflag-data")) return null;
  const units = [
    ["/etc/systemd/system/formflag.service", "/var/lib"],
    [join(dirname(configFolder()), "systemd/user/formflag.service"), join(home(), ".local/share")],
  ] as const;
  for (const [file, folder] of units) {
    if (!existsSync(file)) continue;
    const data = /^ExecStart=\S.* serve --data ("(?:[^"\\]|\\.)*"|\S+)/m.exec(
      readFileSync(file, "utf8"),
    )?.[1];
    if (data === undefined) continue;
    const path = data.replaceAll(/^"|"$/g, "").replaceAll(/\\(.)/g, "$1").replaceAll("$$", "$");
    if (path === "%S/formflag" || path === "%h/.local/share/formflag") return join(folder, "formflag");
    return path.replaceAll("%%", "%");
  }
  return null;
}

/** A login on a server. */
export type Credential = { token: string; user: string; expiresAt: string };

/** Logins by the address of their server. */
type Credentials = Record<string, Credential>;

/** The file of the logins of the user who runs this command. */
const credentialsFile = () => join(configFolder(), "credentials.json");

/** The login on a server; undefined if there is none. Throws `invalid` for a file that cannot be read. */
export async function findCredential(server: string): Promise<Credential | undefined> {
  const all = await readCredentials();
  return Object.hasOwn(all, server) ? all[server] : undefined;
}

/** Keeps the login on a server, or with null forgets it. Throws `unavailable` if the file cannot be written. */
export async function keepCredential(server: string, credential: Credential | null): Promise<void> {
  const all = await readCredentials();
  delete all[server];
  if (credential !== null) all[server] = credential;
  writeOwn(credentialsFile(), `${JSON.stringify(all, null, 2)}\n`);
}

async function readCredentials(): Promise<Credentials> {
  const file = credentialsFile();
  let text: string;
  try {
    text = await readWhole(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return {};
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", `the file ${file} cannot be read`, { cause: error });
  }
  const all = parsed(text);
  if (!isObject(all) || !Object.values(all).every(isCredential))
    throw new AppError("invalid", `the file ${file} is not one that formflag login has written`, {
      hint: "remove it, and log in again",
    });
  return all as Credentials;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCredential(value: unknown): value is Credential {
  if (!isObject(value)) return false;
  return [value["token"], value["user"], value["expiresAt"]].every((each) => typeof each === "string");
}
