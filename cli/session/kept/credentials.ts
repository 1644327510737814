import { join } from "node:path";
import { AppError, systemCode } from "../../../src/base/errors.ts";
import { isObject } from "../../../src/base/json.ts";
import { readWhole } from "../read-whole.ts";
import { configFolder } from "./folders.ts";
import { writeOwn } from "./own-files.ts";

/** A login on a server. */
export type Credential = { token: string; user: string; expiresAt: string };

/** Logins by the address of their server. */
type Credentials = Record<string, Credential>;

/** The file of the logins of the user who runs this command. */
const credentialsFile = () => join(configFolder(), "credentials.json");

/** The login on a server, or undefined. Throws `invalid` for a file that cannot be read. */
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
