import type { Command, Option } from "commander";
import { buildProgram } from "../cli/program.ts";
import { processIo } from "../cli/output/terminal.ts";

/** A command as its help describes it. */
export type CommandHelp = {
  /** With its parent commands: `flags set`; empty for the program. */
  name: string;
  usage: string;
  description: string;
  arguments: { name: string; description: string }[];
  options: OptionHelp[];
  /** The text after the options, in blocks. */
  notes: Note[];
  hasSubcommands: boolean;
};

export type OptionHelp = {
  /** Such as `max-rate`. */
  name: string;
  /** Such as `-o, --output <file>`. */
  flags: string;
  /** Without default and variable. */
  description: string;
  /** With choices, default and variable in parentheses. */
  fullDescription: string;
  choices: readonly string[];
  /** Empty if there is none. */
  default: string;
  /** The environment variable; empty if there is none. */
  variable: string;
  isHidden: boolean;
};

/** A paragraph, or lines that keep their line breaks, such as examples. */
export type Note = { kind: "text"; text: string } | { kind: "lines"; lines: string[] };

/** Exit codes of every command, with what they mean. */
export const EXIT_STATUS = [
  ["0", "done"],
  ["1", "failure, or a question answered with no"],
  [
    "2",
    "usage: an option, a name or a value is wrong; --yes is missing for a deletion, or --confirm for a locked environment",
  ],
  ["3", "not found"],
  [
    "4",
    "not allowed: no token, a wrong one, or one without the scope; a file or directory that may not be read or written; a database or a bucket that refuses the login or lacks rights, and a database that is read-only, newer or foreign",
  ],
  ["5", "conflict: it exists already, or was changed since the revision that --if-revision names"],
  [
    "6",
    "unavailable: locked, disk full; a server, a database or a bucket that is not reachable, missing or misconfigured",
  ],
  ["9", "a difference: found by diff, or by flags refs scan --strict"],
  ["130", "interrupted; serve exits 0 on SIGTERM and SIGINT"],
] as const;

/** The program and every command below it, in the order of the help. */
export async function readCommands(): Promise<[program: CommandHelp, ...commands: CommandHelp[]]> {
  let printed = "";
  const program = await buildProgram(processIo({}), { write: (text) => (printed += text) });
  const helpOf = (command: Command): CommandHelp => {
    printed = "";
    command.outputHelp();
    const help = command.createHelp();
    const usage = help.commandUsage(command);
    return {
      name: namesOf(command).join(" "),
      usage,
      description: command.description(),
      arguments: command.registeredArguments
        .filter(({ description }) => description !== "")
        .map((each) => ({ name: each.name(), description: help.argumentDescription(each) })),
      options: command.options.map((option) => optionHelp(option, help.optionDescription(option))),
      notes: notesIn(printed.slice(command.helpInformation().length)),
      hasSubcommands: command.commands.length > 0,
    };
  };
  return [helpOf(program), ...program.commands.flatMap(withSubcommands).map(helpOf)];
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function namesOf(command: Command): string[] {
  return command.parent ? [...namesOf(command.parent), command.name()] : [];
}

function optionHelp(option: Option, fullDescription: string): OptionHelp {
  const { defaultValue, defaultValueDescription } = option;
  const isShown = defaultValue !== undefined && typeof defaultValue !== "boolean";
  return {
    name: option.name(),
    flags: option.flags,
    description: option.description,
    fullDescription,
    choices: option.argChoices ?? [],
    default: defaultValueDescription ?? (isShown ? String(defaultValue) : ""),
    variable: option.envVar ?? "",
    isHidden: option.hidden,
  };
}

/** A help text in blocks: its indented lines stay line by line, the others are paragraphs. */
export function notesIn(help: string): Note[] {
  const blocks = help
    .trim()
    .split(/\n{2,}|(?<=^\S.*)\n(?= )|(?<=^ .*)\n(?=\S)/m)
    .filter(Boolean);
  return blocks.map((block) => {
    const lines = block.split("\n");
    return block.startsWith(" ")
      ? { kind: "lines", lines: lines.map((line) => line.slice(2)) }
      : { kind: "text", text: lines.join(" ") };
  });
}
