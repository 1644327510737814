/** The manual page `formflag.1`, from the commands as they are: `bun scripts/man.ts | man -l -`. */
import type { Command, Option } from "commander";
import { buildProgram } from "../cli/main.ts";
import { processIo } from "../cli/io.ts";
import { VERSION } from "../cli/version.ts";

/** What README.md says too. */
export const EXIT_STATUS = [
  ["0", "done"],
  ["1", "failure"],
  ["2", "usage: an option, a name or a value is not right; --yes is missing for what is locked"],
  ["3", "not found"],
  [
    "4",
    "not allowed: no token, a wrong one, or one without the scope; a file or directory that may not be read or written",
  ],
  ["5", "conflict: it exists already, or somebody changed it first, as --if-revision asks"],
  ["6", "unavailable: locked, disk full, server not reachable"],
  ["9", "a difference: found by diff, or by flags refs scan --strict"],
  ["130", "interrupted, or a question answered with no; serve exits 0 when told to stop"],
] as const;

const FILES = [
  [
    "./formflag-data/formflag.db",
    "the database, SQLite in WAL mode, with formflag.db-wal and formflag.db-shm",
  ],
  ["./formflag-data/uploads/", "one file for each uploaded file, in folders"],
  ["./formflag-data/serve.lock", "held by the server that runs on this directory"],
] as const;

/** The page in roff's man macros, ASCII alone. `date` is when the release was made. */
export async function manPage(date: Date): Promise<string> {
  let printed = "";
  const program = await buildProgram(processIo({}), { write: (text) => (printed += text) });
  /** What stands in a command's help after its options. */
  const notesOf = (command: Command) => {
    printed = "";
    command.outputHelp();
    return printed.slice(command.helpInformation().length);
  };
  const commands = commandsOf(program).filter((command) => command !== program);
  const optionsOf = (command: Command) => command.options.filter((option) => !option.hidden);
  const variables = new Map(
    [program, ...commands].flatMap((command) =>
      command.options
        .filter((option) => option.envVar !== undefined)
        .map((option) => [option.envVar!, option.long!]),
    ),
  );
  const lines = [
    `.TH FORMFLAG 1 "${date.toISOString().slice(0, 10)}" "formflag ${VERSION}" "User Commands"`,
    // Neither hyphens nor wide gaps: names are to be copied as they stand.
    ".nh",
    ".ad l",
    ".SH NAME",
    `formflag \\- ${escape(sentence(program.description()))}`,
    ".SH SYNOPSIS",
    ".B formflag",
    "\\fIcommand\\fR [\\fIoption\\fR ...] [\\fIargument\\fR ...]",
    ".SH DESCRIPTION",
    ...text(
      "formflag takes in form submissions and answers feature flags, on an embedded database and an upload directory.",
    ),
    ...text("Without --server a command acts on the data directory, whether or not a server runs on it."),
    ".SH OPTIONS",
    ...text("These go with every command, before or after it."),
    ...optionsOf(program).flatMap(option(program)),
    ".SH COMMANDS",
    ...commands.flatMap((command) => [
      `.SS ${quote(usageOf(command))}`,
      ...text(capital(command.description())),
      ...command.registeredArguments.flatMap((argument) =>
        argument.description === ""
          ? []
          : [
              ".TP",
              `\\fI${escape(argument.name())}\\fR`,
              ...filled(command.createHelp().argumentDescription(argument)),
            ],
      ),
      ...optionsOf(command).flatMap(option(command)),
      ...notes(notesOf(command)),
    ]),
    ".SH EXIT STATUS",
    ...EXIT_STATUS.flatMap(([code, meaning]) => tagged(code, meaning)),
    ".SH ENVIRONMENT",
    ...text("An option wins over its variable. An empty variable counts as not set."),
    ...[...variables].flatMap(([name, long]) => tagged(name, `stands for ${long}`)),
    ...tagged("FORMFLAG_TOKEN", "the token for --server itself"),
    ...tagged("FORMFLAG_SHARED_DATA", "1 accepts a data directory that others may write in"),
    ...tagged("CI", "set to anything: never ask, as with --no-input"),
    ".SH FILES",
    ...FILES.flatMap(([file, meaning]) => tagged(file, meaning)),
    ".SH EXAMPLES",
    ...notes(notesOf(program)),
  ];
  // Headings begin a paragraph by themselves.
  return `${lines.join("\n").replaceAll(/^(\.S[HS] .*)\n\.PP$/gm, "$1")}\n`;
}

/** The command and all below it. */
function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function usageOf(command: Command): string {
  return command.createHelp().commandUsage(command);
}

function option(command: Command): (option: Option) => string[] {
  return (option) => [
    ".TP",
    option.flags
      .split(/(<[^>]+>|\[[^\]]+\])/)
      .map((part, index) => (part === "" ? "" : `\\f${index % 2 === 0 ? "B" : "I"}${escape(part)}\\fR`))
      .join(""),
    ...filled(command.createHelp().optionDescription(option)),
  ];
}

function tagged(tag: string, meaning: string): string[] {
  return [".TP", `\\fB${escape(tag)}\\fR`, ...filled(meaning)];
}

function text(line: string): string[] {
  return [".PP", ...filled(line)];
}

/** A paragraph in short lines, as roff is written. */
function filled(paragraph: string): string[] {
  return escape(paragraph)
    .match(/\S{78,}|\S.{0,77}(?!\S)/g)!
    .map(shielded);
}

/** A text of paragraphs in roff: what is indented in it, such as examples, stays line by line. */
export function notes(help: string): string[] {
  return help
    .trim()
    .split(/\n(?=\S)|\n{2,}/)
    .filter(Boolean)
    .flatMap((block) => {
      const [first = "", ...indented] = block.split("\n");
      if (indented.length === 0) return text(first);
      const examples = indented.map((line) => shielded(escape(line.slice(2))));
      return [...text(first), ".RS 4", ".nf", ...examples, ".fi", ".RE"];
    });
}

/** Without its capital and its full stop. */
function sentence(description: string): string {
  return `${description[0]!.toLowerCase()}${description.slice(1).replace(/\.$/, "")}`;
}

function capital(description: string): string {
  return `${description[0]!.toUpperCase()}${description.slice(1).replace(/\.$/, "")}.`;
}

function quote(words: string): string {
  return `"${escape(words)}"`;
}

const SPECIAL: Record<string, string> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  '"': "\\(dq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** The text as roff shows it unchanged, in ASCII. */
function escape(line: string): string {
  return line.replaceAll(
    /[\\\-'"`^~]|[^\x00-\x7f]/gu,
    (char) => SPECIAL[char] ?? `\\[u${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** A line that begins with a dot would be a request. */
function shielded(line: string): string {
  return line.startsWith(".") ? `\\&${line}` : line;
}

if (import.meta.main) await Bun.write(Bun.stdout, await manPage(new Date()));
