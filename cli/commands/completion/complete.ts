import type { Argument, Command, Option } from "commander";
import { SCOPES } from "../../../src/access/scope.ts";
import type { Io } from "../../output/terminal.ts";
import { type Transport, clientOn } from "../../session/client.ts";
import { readConfig, readRemote } from "../../session/config.ts";
import { env } from "../../session/env.ts";
import { localTransport } from "../../session/local-client.ts";
import { listNames } from "../../session/guesses/names.ts";
import { loadStorage } from "../../session/storage.ts";
import { VERSION } from "../../version.ts";

/** Candidates that let the shell complete files or directories itself. */
const FILES = ":files";
const DIRECTORIES = ":dirs";

/** Limits that keep a key press from waiting long. */
const REMOTE_LIMITS = { bytes: 4 * 1024 * 1024, ms: 2000, idleMs: 2000 };

/** The command line typed so far. */
type TypedLine = {
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
 * which a key press must not print. Not `@bomb.sh/tab`: it waits for no candidates that are read from the data or a server,
 * and lets no shell complete files.
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

function read(words: string[], program: Command): TypedLine {
  const typed: TypedLine = { command: program, words, operands: [], options: {}, pending: undefined };
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

/** Arguments and values that are names: by what help calls them, or `name` and `id` of these nouns. */
const KINDS: ReadonlySet<string> = new Set(["project", "environment", "flag", "form", "segment", "user"]);
const OF_NOUNS: ReadonlySet<string> = new Set([
  "segments",
  "targets",
  "tokens",
  "users",
  "sessions",
  "grants",
]);

async function valuesOf(
  kind: string,
  { argChoices }: Option | Argument,
  typed: TypedLine,
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
  const isOfNoun = kind === "name" || kind === "id";
  if (!(isOfNoun ? OF_NOUNS : KINDS).has(isOfNoun ? String(noun) : kind)) return [];
  const listed = isOfNoun ? noun!.replace(/s$/, "") : kind;
  const transport = await openTransport(typed, io);
  try {
    return await listNames(listed, clientOn(transport), {
      project: placeOf("project", typed),
      environment: placeOf("environment", typed),
      // `FORMFLAG_PROJECT` is a preference where forms are named.
      only: typed.options["project"],
    });
  } finally {
    await transport.close();
  }
}

function placeOf(name: "project" | "environment", { options }: TypedLine): string | undefined {
  return options[name] ?? env[`FORMFLAG_${name.toUpperCase()}`];
}

/** The data, or the server, that the command would act on. Throws for data with an older schema, which is left as it is. */
async function openTransport({ command, options }: TypedLine, io: Io): Promise<Transport> {
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
  if (remote !== null)
    return (await import("../../session/remote.ts")).remoteTransport(remote, REMOTE_LIMITS);
  const storage = await loadStorage(config.storage);
  const silent = { ...io, err: () => {}, note: () => {} };
  if (storage.shared === null) (await import("../../data/open.ts")).needDatabase(config.data);
  return localTransport(storage, VERSION, silent, { keepsSchema: true });
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
