import { type Command, Option } from "commander";
import { AppError } from "../../src/base/errors.ts";

const ADDRESS = "the address has the port: formflag serve --listen 127.0.0.1:9000";
const RUN_VERSION = "type formflag --version";
const ADD_TARGET = "type formflag targets add <form> <target>";

/** Options of other programs, with the hint to print. */
const OPTIONS: Record<string, string> = {
  "--port": ADDRESS,
  "--host": ADDRESS,
  "--bind": ADDRESS,
  "--address": ADDRESS,
  "--token":
    "a token on a command line can be seen by other users of the machine: put it into FORMFLAG_TOKEN, or into a file named with --token-file",
  "-v": RUN_VERSION,
  "-V": RUN_VERSION,
  "--env": "the environment is named with -e or --environment",
  "--force": "--yes answers every question, and --confirm opens the lock of an environment",
  "--enabled": "--on turns a flag on, --off turns it off",
  "--enable": "--on turns a flag on, --off turns it off",
  "--verbose": "formflag serve --log-level debug logs more",
};

/** Words that are not commands at the top. */
const COMMANDS: Record<string, string> = {
  version: RUN_VERSION,
  start: "type formflag serve",
  run: "type formflag serve",
  server: "type formflag serve",
  init: "nothing has to be set up: type formflag serve, or formflag projects create <project>",
  restore: "type formflag backup restore <file>",
  verify: "type formflag backup verify <file>",
  webhook: ADD_TARGET,
  webhooks: ADD_TARGET,
  import: "type formflag apply -f <file>, or formflag flags import <file>",
  login:
    "name a server with --server and its token with --token-file, or set FORMFLAG_SERVER and FORMFLAG_TOKEN",
};

/** Synonymous verbs: a noun has at most one of each row, the first of which are suggested first. */
const VERBS = [
  ["create", "set", "add", "new", "make"],
  ["set", "update", "edit", "change", "patch"],
  ["get", "show", "view", "describe", "info", "read"],
  ["delete", "revoke", "remove", "rm", "del", "destroy"],
  ["list", "all"],
  ["test", "ping", "send", "try"],
  ["rotate", "roll", "renew", "secret"],
  ["enable", "on", "open", "start"],
  ["disable", "off", "close", "stop"],
];

/** A hint for an option or command that commander does not know; null if none is near. */
export function nearMiss(message: string, args: string[], program: Command): string | null {
  const [, excess] = /^too many arguments for .* got \d+: (.*)\.$/.exec(message) ?? [];
  if (excess !== undefined) return excessHint(excess, commandOf(args, program));
  const [, kind, word = ""] = /unknown (option|command) '([^']*)'/.exec(message) ?? [];
  if (kind === "option") {
    if (word === "-p" && args.includes("serve")) return ADDRESS;
    return OPTIONS[word.replace(/=.*$/, "")] ?? null;
  }
  if (kind !== "command") return null;
  const noun = program.commands.find((command) => args.includes(command.name()) && command.name() !== word);
  if (noun === undefined) return COMMANDS[word] ?? null;
  const verbs = new Set(noun.commands.map((command) => command.name()));
  const near = VERBS.filter((row) => row.includes(word)).flatMap((row) =>
    row.filter((verb) => verbs.has(verb)),
  );
  return near.length === 0 ? null : `type formflag ${noun.name()} ${near[0]}`;
}

/** The command that arguments name. */
function commandOf(args: string[], program: Command): Command {
  let command = program;
  for (const arg of args) command = command.commands.find((each) => each.name() === arg) ?? command;
  return command;
}

function excessHint(excess: string, command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name());
  const typed = names.join(" ");
  const takesFile = command.options.some(({ long }) => long === "--file");
  if (takesFile && !excess.includes(", ")) return `name the file with -f: ${typed} -f ${excess}`;
  return `a text with spaces is put into quotes; ${typed} --help shows what it takes`;
}

type FieldOption = Option & { field?: string };

/** An option that carries the name of its field in the admin API. */
export function optionFor(field: string, flags: string, help: string): FieldOption {
  return Object.assign(new Option(flags, help), { field });
}

/** Fields of the admin API that options have another name for. */
const FIELDS: Record<string, string> = {
  scopes: "--scope",
  expiresAt: "--expires",
};

/** Rewrites an error that names a field of the admin API to name the option of the command that set the field. */
export function inTermsOf(command: Command, error: unknown): unknown {
  if (!(error instanceof AppError) || !["invalid", "too_large"].includes(error.code)) return error;
  const [, field, colon = "", text] = /^([a-z]+[A-Za-z]*)(?:\.[\w.]+)?(:?) (.*)$/s.exec(error.message) ?? [];
  if (field === undefined) return error;
  const own = command.options.find((option: FieldOption) => option.field === field);
  const long =
    own?.long ?? FIELDS[field] ?? `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const isOption = command.options.some((option) => option.long === long);
  if (!isOption && !(colon && ["slug", "name"].includes(field))) return error;
  const message = isOption ? `${long}${colon} ${text}` : text!;
  const { code, reason, hint } = error;
  return new AppError(code, message, { reason: reason ?? undefined, hint: hint ?? undefined, cause: error });
}
