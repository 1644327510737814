import { type Command, Option } from "commander";
import { AppError } from "../../src/base/errors.ts";
import { ADMIN_PATH } from "../../src/operations/operation.ts";
import { isLoopbackUrl } from "./connection.ts";
import type { Remote } from "./remote.ts";
import { listOption } from "./command-line.ts";
import { env } from "./env.ts";
import { readWhole } from "./read-whole.ts";
import { readText } from "./sources.ts";
import { type StorageSettings, readStorageSettings } from "./storage.ts";
import { usage } from "./usage.ts";

/** The settings of every command. */
export type Config = {
  /** As given: absolute, or relative to the current directory. */
  data: string;
  /** Location of the data for a command without a server. */
  storage: StorageSettings;
  /** The server to act on; null acts on the data itself. */
  server: string | null;
  json: boolean;
  quiet: boolean;
  /** Whether prompts are allowed. */
  input: boolean;
  yes: boolean;
  /** The locked environments to change. */
  confirm: string[];
  /** For how long changes are proposed, in place of being made; undefined makes them. */
  propose: string | undefined;
  /** Whether changes are made without the approvals that they need. */
  bypass: boolean;
  /** Whether a terminal gets colours. */
  color: boolean;
};

/** How long a change stays open that is proposed without a time. */
export const PROPOSED_FOR = "14d";

/** The options of every command, with their environment variables. */
export function globalOptions(): Option[] {
  return [
    new Option("--data <dir>", "data directory").env("FORMFLAG_DATA").default("./formflag-data"),
    new Option(
      "--database <url>",
      "PostgreSQL database to use instead of the one in the data directory; only the variable may contain a password",
    ).env("FORMFLAG_DATABASE_URL"),
    new Option("--blobs <url>", "S3 bucket for uploaded files, with --database").env("FORMFLAG_BLOBS"),
    new Option(
      "--migrate <when>",
      "whether to migrate a database with an older schema; off is for PostgreSQL; a command that only reads needs auto on its line",
    )
      .env("FORMFLAG_MIGRATE")
      .choices(["auto", "off"])
      .default("auto"),
    new Option("--server <url>", "act on this server over its admin API").env("FORMFLAG_SERVER"),
    new Option("--token-file <file>", "file that holds the token for --server, or for --follow").env(
      "FORMFLAG_TOKEN_FILE",
    ),
    new Option(
      "--ca-file <file>",
      "certificates in PEM to trust for --server or --follow, instead of the usual ones",
    ).env("FORMFLAG_CA_FILE"),
    new Option(
      "--insecure",
      "send the token over http:// to another machine, although others can read it in transit",
    ).env("FORMFLAG_INSECURE"),
    new Option("--json", "print JSON"),
    new Option("-q, --quiet", "print only results and errors"),
    new Option("--no-input", "never prompt"),
    new Option("-y, --yes", "answer yes to every question, except whether to change a locked environment"),
    listOption("--confirm <environment...>", "change these environments although they are locked"),
    new Option(
      "--propose [time]",
      "propose the change for approval instead of making it; open for 14d, or as in --propose=30d",
    ),
    new Option("--bypass", "make the change without approvals, as an admin; needs --why"),
    new Option("--no-color", "print without colours"),
  ];
}

export function projectOption(): Option {
  return new Option("-p, --project <project>", "project").env("FORMFLAG_PROJECT");
}

/** For a command about forms, which may go without a project. */
export function formProjectOption(): Option {
  return new Option("-p, --project <project>", "only in this project (default: in all)").env(
    "FORMFLAG_PROJECT",
  );
}

export function environmentOption(): Option {
  return new Option("-e, --environment <environment>", "environment").env("FORMFLAG_ENVIRONMENT");
}

/** For a verb that changes several environments at once. */
export function environmentsOption(): Option {
  return listOption("-e, --environment <environment...>", "environment, or several").env(
    "FORMFLAG_ENVIRONMENT",
  );
}

/** The configuration of a command. Throws `invalid`. */
export function readConfig(command: Command): Config {
  const options = command.optsWithGlobals<Record<string, unknown>>();
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === "cli";
  const place = ["data", "database", "blobs"].find(isGiven);
  if (place !== undefined && isGiven("server")) {
    throw usage(
      `--${place} and --server exclude each other`,
      "leave one out: either data that is reached from here or a server",
    );
  }
  const server = place === undefined ? withScheme(options["server"] as string | undefined) : undefined;
  if (server !== undefined && !(/^https?:\/\/[^/]/.test(server) && URL.canParse(server))) {
    throw usage(`--server ${server} is not a web address`, "it looks like https://flags.example.com");
  }
  return {
    data: String(options["data"]),
    storage: readStorageSettings(command),
    // The address of the admin API itself, as its OpenAPI document has it, names the same server.
    server: server?.replace(new RegExp(`(?:${ADMIN_PATH})?/*$`), "") ?? null,
    json: options["json"] === true,
    quiet: options["quiet"] === true,
    input: options["input"] !== false,
    yes: options["yes"] === true,
    confirm: readConfirmed(options["confirm"] as string[] | undefined),
    propose: readPropose(options["propose"] as string | true | undefined),
    bypass: options["bypass"] === true,
    color: options["color"] !== false && !env["NO_COLOR"],
  };
}

/** `host:port` as a URL: over http on this machine, over https elsewhere. */
function withScheme(server: string | undefined): string | undefined {
  if (server === undefined || !/^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?\/*$/i.test(server)) return server;
  const url = `http://${server}`;
  return URL.canParse(url) && isLoopbackUrl(url) ? url : `https://${server}`;
}

/** The time of `--propose`, as a header may hold it. Throws `invalid`. */
function readPropose(given: string | true | undefined): string | undefined {
  if (given === undefined || given === true) return given && PROPOSED_FOR;
  if (/^\d{1,6}[smhdw]$/.test(given)) return given;
  throw usage(`--propose=${given} is not a time`, "write --propose, or a time as in --propose=30d");
}

/** The environments of `--confirm`, which a header has to hold. Throws `invalid`. */
function readConfirmed(given: string[] = []): string[] {
  const other = given.find((each) => !/^[\w.-]+$/.test(each));
  if (other !== undefined)
    throw usage(`--confirm ${other} is not the name of an environment`, "write --confirm production");
  return given;
}

/** Whether the user wants a database with an older schema to be migrated, even by a command that only reads. */
export function asksToMigrate(command: Command): boolean {
  const { migrate } = command.optsWithGlobals<{ migrate?: string }>();
  return migrate === "auto" && command.getOptionValueSourceWithGlobals("migrate") === "cli";
}

/** The configuration of a command that needs the data directory itself. Throws `invalid` with `--server`. */
export function readLocalConfig(command: Command): Config {
  const config = readConfig(command);
  if (config.server === null) return config;
  const names = [];
  for (let each = command; each.parent; each = each.parent) names.unshift(each.name());
  if (command.getOptionValueSourceWithGlobals("server") === "config")
    throw usage(
      `${names.join(" ")} works on the data itself, and your login is on ${config.server}`,
      "name the data with --data or --database; formflag logout ends the login",
    );
  throw usage(
    `${names.join(" ")} works on the data itself, not with --server`,
    "run it where the data is reached, and name it with --data or --database",
  );
}

/**
 * The configuration of a command that works on files alone, whatever server a variable or a login names. Throws `invalid` with
 * `--server`.
 */
export function readFileConfig(command: Command): Config {
  const isGiven = command.getOptionValueSourceWithGlobals("server") === "cli";
  return isGiven ? readLocalConfig(command) : readConfig(command);
}

/**
 * How to reach the server of a configuration, without a token; null without a server. Throws `invalid` if a token would be
 * sent unencrypted; `ca` if the certificates cannot be used.
 */
export function readServer(
  command: Command,
  { server }: Config,
): { server: string; ca: Promise<string | null> } | null {
  if (server === null) return null;
  const { insecure, caFile } = command.optsWithGlobals<{ insecure?: true; caFile?: string }>();
  if (server.startsWith("http:") && !isLoopbackUrl(server) && !insecure)
    throw usage(
      `everyone on the way to ${new URL(server).host} could read the token: the address is not https`,
      "use https://, or add --insecure if you trust the network",
    );
  return { server, ca: caFile === undefined ? Promise.resolve(null) : readCertificates(caFile) };
}

/** The same with the token. Throws also `unauthenticated` without one. */
export async function readRemote(
  command: Command,
  config: Config,
  env: Record<string, string | undefined>,
): Promise<Remote | null> {
  const remote = readServer(command, config);
  if (remote === null) return null;
  const [token, ca] = await Promise.all([readToken(command, remote.server, env), remote.ca]);
  return { server: remote.server, token, ca };
}

/** The certificates of `--ca-file`. Throws `invalid` for a file without any. */
export async function readCertificates(file: string): Promise<string> {
  const text = await readText(file, "--ca-file");
  try {
    // With an unusable file every connection fails, without naming the file.
    const { X509Certificate } = await import("node:crypto");
    void new X509Certificate(text);
  } catch {
    throw usage(
      `--ca-file: the file ${file} holds no certificate in PEM`,
      "PEM begins with -----BEGIN CERTIFICATE-----",
    );
  }
  return text;
}

/**
 * The token for a server: from `--token-file`, `FORMFLAG_TOKEN`, `FORMFLAG_TOKEN_FILE`, or else of the login on it. Never from
 * an option, which other users of the machine can see. Throws `unauthenticated` without a token.
 */
async function readToken(
  command: Command,
  server: string,
  env: Record<string, string | undefined>,
): Promise<string> {
  const file = command.optsWithGlobals<{ tokenFile?: string }>().tokenFile;
  const isGiven = command.getOptionValueSourceWithGlobals("tokenFile") === "cli";
  const fromEnv = env["FORMFLAG_TOKEN"]?.trim();
  if (fromEnv && !isGiven) return tokenIn(fromEnv, "FORMFLAG_TOKEN");
  if (file === undefined) return tokenOfLogin(server);
  return tokenIn(await readTokenFile(file), `the file ${file}`);
}

async function tokenOfLogin(server: string): Promise<string> {
  const { findCredential } = await import("./kept/credentials.ts");
  const known = await findCredential(server);
  if (known !== undefined) return known.token;
  throw new AppError("unauthenticated", "a token is missing for the server", {
    hint: `formflag login --server ${server} gets one; or put one into FORMFLAG_TOKEN, or into a file named with --token-file`,
  });
}

function tokenIn(text: string, where: string): string {
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new AppError("unauthenticated", `${where} holds no token`);
  return token;
}

async function readTokenFile(file: string): Promise<string> {
  try {
    return await readWhole(file);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") throw error;
    const why = error instanceof AppError ? error.message : `the token file ${file} cannot be read`;
    throw new AppError("unauthenticated", why, { cause: error });
  }
}
