import { OTHER_VARIABLES } from "../cli/session/guesses/variables.ts";
import { VERSION } from "../cli/version.ts";
import { type CommandHelp, EXIT_STATUS, type Note, type OptionHelp, readCommands } from "./commands.ts";

/** The manual page `formflag.1`, from the commands as they are: `bun scripts/man.ts | man -l -`. */

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
  const [program, ...commands] = await readCommands();
  const variables = new Map(
    [program, ...commands]
      .flatMap(({ options }) => options)
      .filter(({ variable }) => variable !== "")
      .map(({ variable, name }) => [variable, `--${name}`]),
  );
  const lines = [
    `.TH FORMFLAG 1 "${date.toISOString().slice(0, 10)}" "formflag ${VERSION}" "User Commands"`,
    // Without hyphenation and wide gaps, so that names can be copied.
    ".nh",
    ".ad l",
    ".SH NAME",
    `formflag \\- ${escape(sentence(program.description))}`,
    ".SH SYNOPSIS",
    ".B formflag",
    "\\fIcommand\\fR [\\fIoption\\fR ...] [\\fIargument\\fR ...]",
    ".SH DESCRIPTION",
    ...text(
      "formflag stores form submissions and serves feature flags, on an embedded database and an upload directory.",
    ),
    ...text("Without --server a command acts on the data directory, whether or not a server runs on it."),
    ".SH OPTIONS",
    ...text("These go with every command, before or after it."),
    ...optionsIn(program),
    ".SH COMMANDS",
    ...commands.flatMap((command) => [
      `.SS ${quote(command.usage)}`,
      ...text(capital(command.description)),
      ...command.arguments.flatMap(({ name, description }) => [
        ".TP",
        `\\fI${escape(name)}\\fR`,
        ...filled(description),
      ]),
      ...optionsIn(command),
      ...notes(command.notes),
    ]),
    ".SH EXIT STATUS",
    ...EXIT_STATUS.flatMap(([code, meaning]) => tagged(code, meaning)),
    ".SH ENVIRONMENT",
    ...text("An option wins over its variable. An empty variable counts as not set."),
    ...[...variables].flatMap(([name, long]) => tagged(name, `stands for ${long}`)),
    ...OTHER_VARIABLES.flatMap(([name, meaning]) => tagged(name, meaning)),
    ".SH FILES",
    ...FILES.flatMap(([file, meaning]) => tagged(file, meaning)),
    ".SH EXAMPLES",
    ...notes(program.notes),
  ];
  // Headings begin a paragraph by themselves.
  return `${lines.join("\n").replaceAll(/^(\.S[HS] .*)\n\.PP$/gm, "$1")}\n`;
}

function optionsIn(command: CommandHelp): string[] {
  return command.options.filter(({ isHidden }) => !isHidden).flatMap(option);
}

function option({ flags, fullDescription }: OptionHelp): string[] {
  return [
    ".TP",
    flags
      .split(/(<[^>]+>|\[[^\]]+\])/)
      .map((part, index) => (part === "" ? "" : `\\f${index % 2 === 0 ? "B" : "I"}${escape(part)}\\fR`))
      .join(""),
    ...filled(fullDescription),
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

/** Paragraphs, and examples line by line, in roff. */
export function notes(blocks: Note[]): string[] {
  return blocks.flatMap((block) =>
    block.kind === "text"
      ? text(block.text)
      : [".RS 4", ".nf", ...block.lines.map((line) => shielded(escape(line))), ".fi", ".RE"],
  );
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
