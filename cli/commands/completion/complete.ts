import { join } from "node:path";
import type { Argument, Command, Option } from "commander";
import { SCOPES } from "../../../src/access/scope.ts";
import type { Io } from "../../output/terminal.ts";
import { localClient } from "../../session/local-client.ts";
import { type Client, path } from "../../session/client.ts";
import { readConfig, readRemote } from "../../session/config.ts";
import { NAMES } from "../../../src/storage.ts";
import { env } from "../../session/env.ts";
import { listAll } from "../../session/pages.ts";
import { loadStorage } from "../../session/storage.ts";
import { VERSION } from "../../version.ts";

/** Candidates that let the shell complete files or directories itself. */
const FILES = ":files";
const DIRECTORIES = ":dirs";

/** Limits that keep a key press from waiting long. */
const REMOTE_LIMITS = { bytes: 4 * 1024 * 1024, ms: 2000, idleMs: 2000 };

/** Forms whose targets are candidates: each takes a request of its own. */
const MAX_FORMS = 50;

/** The command line typed so far. */
type Typed = {
  command: Command;
  /** The words up to and including the one under the cursor. */
  words: string[];
  operands: string[];
  options: Record<string, string>;
  /** The option whose value the last word is. */
  pending: Option | undefined;
};

/**
 * Candidates for the last of the words after `formflag`, or what the shell completes itself. Returns none for an error,
 * which a key press must not print.
 */
export async function complete(words: string[], program: Command, io: Io): Promise<string[]> {
  const typed = read(words, program);
  const last = words.at(-1) ?? "";
  const { command, pending, operands } = typed;
  try {
    if (pending) return await valuesOf(kindOf(pending.flags), pending, typed, io);
    const [option, prefix] = optionOf(command, last);
    if (prefix !== undefined) {
      const values = option ? await valuesOf(kindOf(option.flags), option, typed, io) : [];
      return values.map((value) => (value.startsWith(":") ? value : `${option!.long}=${value}`));
    }
    if (last.startsWith("-")) return optionsOf(command).map((each) => each.long!);
    if (command.commands.length > 0 && operands.length === 0)
      return command.commands.map((each) => each.name());
    const argument = command.registeredArguments[operands.length];
    if (!argument || command.name() === "create") return [];
    return await valuesOf(argument.name(), argument, typed, io);
  } catch {
    return [];
  }
}

function read(words: string[], program: Command): Typed {
  const typed: Typed = { command: program, words, operands: [], options: {}, pending: undefined };
  for (const word of words.slice(0, -1)) {
    const { command, pending } = typed;
    if (pending) {
      typed.options[pending.attributeName()] = word;
      typed.pending = undefined;
    } else if (word.startsWith("-")) {
      const [option, value] = optionOf(command, word);
      if (value !== undefined && option) typed.options[option.attributeName()] = value;
      else if (option?.required) typed.pending = option;
    } else {
      const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (next && typed.operands.length === 0) typed.command = next;
      else typed.operands.push(word);
    }
  }
  return typed;
}

/** The option of a word, with its value in `--option=value`. */
function optionOf(command: Command, word: string): [Option | undefined, string | undefined] {
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  return [optionsOf(command).find((option) => option.long === name || option.short === name), value];
}

/** The options of a command and of its parents. */
function optionsOf(command: Command): Option[] {
  const above = command.parent ? optionsOf(command.parent) : [];
  return [...command.options.filter((option) => !option.hidden), ...above];
}

/** `project` of `-p, --project <project>`. */
function kindOf(flags: string): string {
  return /[<[]([^.>\]]+)/.exec(flags)?.[1] ?? "";
}

async function valuesOf(
  kind: string,
  { argChoices }: Option | Argument,
  typed: Typed,
  io: Io,
): Promise<string[]> {
  if (argChoices) return argChoices;
  if (kind.includes("|")) return kind.split("|");
  const noun = typed.command.parent?.name();
  // The files of a submission are not local files.
  if (kind === "file")
    return noun === "submissions" && typed.operands.length === 1 && !typed.pending ? [] : [FILES];
  if (kind === "dir") return [DIRECTORIES];
  if (kind === "scope") return [...SCOPES];
  const list = LISTS[kind === "name" || kind === "id" ? String(noun) : kind];
  if (!list) return [];
  const client = await openClient(typed, io);
  try {
    return await list(client, (name) => placeOf(name, typed));
  } finally {
    await client.close();
  }
}

type List = (
  client: Client,
  place: (name: "project" | "environment") => string | undefined,
) => Promise<string[]>;

/** Names by the kind of an argument or of the value of an option; `name` and `id` go by the command they belong to. */
const LISTS: Record<string, List> = {
  project: (client) => slugs(client, "/projects", "projects"),
  environment: (client, place) => within(place("project"), (project) => environmentsOf(client, project)),
  flag: (client, place) =>
    within(place("project"), async (project) => {
      // Every environment has every flag.
      const environment = place("environment") ?? (await environmentsOf(client, project))[0];
      return within(environment, (environment) =>
        slugs(client, path`/projects/${project}/environments/${environment}/flags`, "flags"),
      );
    }),
  segments: (client, place) =>
    within(place("project"), (project) =>
      within(place("environment"), async (environment) => {
        const url = path`/projects/${project}/environments/${environment}/segments`;
        return (await listAll<{ name: string }>(client, url, "segments")).map(({ name }) => name);
      }),
    ),
  form: (client) => slugs(client, "/forms", "forms"),
  targets: async (client) => {
    const forms = (await slugs(client, "/forms", "forms")).slice(0, MAX_FORMS);
    const targets = await Promise.all(
      forms.map((form) => listAll<{ id: string }>(client, path`/forms/${form}/targets`, "targets")),
    );
    return targets.flat().map(({ id }) => id);
  },
  tokens: async (client) =>
    (await listAll<{ name: string }>(client, "/tokens", "tokens")).map(({ name }) => name),
  users: async (client) =>
    (await listAll<{ name: string }>(client, "/users", "users")).map(({ name }) => name),
  sessions: async (client) =>
    (await listAll<{ id: string }>(client, "/sessions", "sessions")).map(({ id }) => id),
};
LISTS["segment"] = LISTS["segments"]!;
LISTS["user"] = LISTS["users"]!;

async function within(name: string | undefined, list: (name: string) => Promise<string[]>) {
  return name === undefined ? [] : list(name);
}

function environmentsOf(client: Client, project: string): Promise<string[]> {
  return slugs(client, path`/projects/${project}/environments`, "environments");
}

async function slugs(client: Client, url: string, name: string): Promise<string[]> {
  return (await listAll<{ slug: string }>(client, url, name)).map(({ slug }) => slug);
}

function placeOf(name: "project" | "environment", { options }: Typed): string | undefined {
  return options[name] ?? env[`FORMFLAG_${name.toUpperCase()}`];
}

/** A client for what the command would act on. Throws for a database of another schema, which opening would migrate. */
async function openClient({ command, options }: Typed, io: Io): Promise<Client> {
  for (const option of optionsOf(command)) {
    const name = option.attributeName();
    const owner = command.options.includes(option) ? command : rootOf(command);
    const value = options[name];
    const variable = option.envVar === undefined ? undefined : env[option.envVar];
    if (value !== undefined) owner.setOptionValueWithSource(name, value, "cli");
    else if (variable !== undefined) owner.setOptionValueWithSource(name, variable, "env");
  }
  const config = readConfig(command);
  const remote = await readRemote(command, config, env);
  if (remote !== null) return (await import("../../session/remote.ts")).remoteClient(remote, REMOTE_LIMITS);
  const storage = await loadStorage(config.storage);
  const silent = { ...io, err: () => {}, note: () => {} };
  if (storage.shared !== null)
    return localClient({ ...storage, shared: { ...storage.shared, migrate: "off" } }, VERSION, silent);
  const [{ inspectDatabase }, { MIGRATIONS }] = await Promise.all([
    import("../../../src/store/sqlite/inspect.ts"),
    import("../../../src/store/sqlite/migrate.ts"),
  ]);
  const { schema } = inspectDatabase(join(config.data, NAMES.database), { isQuick: false });
  if (schema !== MIGRATIONS.length) throw new Error("the database is of another version");
  return localClient(storage, VERSION, silent);
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
