import { Command, type Help, type Option } from "commander";
import { COMMANDS } from "./command-table.ts";
import { hasColors, inColor } from "./output/color.ts";
import { type Io, WIDTH } from "./output/terminal.ts";
import { wrapHelp } from "./output/wrap.ts";
import { globalOptions } from "./session/config.ts";
import { refuseRepeats } from "./session/command-line.ts";
import { ABOUT } from "./version.ts";

export { joinLists } from "./session/command-line.ts";
export { PROPOSED_FOR } from "./session/config.ts";

declare module "commander" {
  interface Command {
    withOptions(...options: Option[]): this;
    /** Adds a text after the options in the help. */
    after(text: string): this;
  }
}

/** The end of the help of the program. */
const FIRST_STEPS = `
First steps:
  formflag serve
  formflag projects create shop
  formflag flags set new-checkout -p shop -e production --on
  formflag forms create contact
  formflag submissions list contact
`;

type Build = {
  /** The command line, from which nouns load their verbs. */
  args?: string[];
  /** Gets what is wrong with a command line. */
  complain?: (message: string) => void;
  asJson?: boolean;
  mayColor?: boolean;
  /** Prints help and version texts. */
  write: (text: string) => void;
  /** Selects the commands to load; the others have only their name and summary. */
  isWanted?: (name: string) => boolean;
};

/** A command with the methods of all of formflag's. */
class OwnCommand extends Command {
  override createCommand(name?: string): Command {
    return new OwnCommand(name);
  }

  override withOptions(...options: Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  override after(text: string): this {
    return this.addHelpText("after", text);
  }
}

/** The commander program. Default: with every command. */
export async function buildProgram(
  io: Io,
  { args = [], complain = () => {}, asJson = false, mayColor = false, write, isWanted = () => true }: Build,
): Promise<Command> {
  const program = new OwnCommand("formflag")
    .description("A form inbox and feature flags in one executable.")
    .helpOption("-h, --help", "show help")
    // commander removes the bold again if colours are not wanted.
    .configureHelp({
      styleTitle: (text) => inColor(text, "bold"),
      formatHelp,
      minWidthToWrap: 20,
    })
    .configureOutput({
      writeOut: write,
      writeErr: (text) => (asJson ? undefined : io.err(wrapHelp(text, io.errWidth ?? Infinity))),
      outputError: (text) => complain(text.replace(/^error: /, "").trimEnd()),
      // Called only if there is a terminal: see processIo.
      getOutHelpWidth: () => io.outWidth ?? WIDTH,
      getErrHelpWidth: () => io.errWidth ?? WIDTH,
      getOutHasColors: () => hasColors(io, "stdout", mayColor),
      getErrHasColors: () => hasColors(io, "stderr", mayColor),
    })
    .exitOverride()
    // Near names are suggested by `explain`.
    .showSuggestionAfterError(false)
    .after(FIRST_STEPS);
  // With that command it names the version to install.
  if (!args.includes("upgrade")) program.version(ABOUT, "--version", "print the version");
  program.withOptions(...globalOptions());
  // Each other one would take as long as an option.
  const isNamed = Object.hasOwn(COMMANDS, args[0] ?? "") && !args.includes("completion");
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    if (isNamed && !isWanted(name)) continue;
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`);
    if (isWanted(name)) await (await load())(command, io, args);
  }
  refuseRepeats(program);
  return program;
}

/** The help of a command: its subcommands first, then its arguments and options; global options are one line. */
function formatHelp(command: Command, help: Help): string {
  const width = help.helpWidth ?? WIDTH;
  const columns = help.padWidth(command, help);
  const section = (title: string, items: [term: string, description: string][]) => {
    if (items.length === 0) return [];
    const lines = items.map(([term, text]) => help.formatItem(term, columns, text, help));
    return [help.styleTitle(title), ...lines, ""];
  };
  const commands = help
    .visibleCommands(command)
    .map((each): [string, string] => [
      help.styleSubcommandTerm(help.subcommandTerm(each)),
      help.subcommandDescription(each),
    ]);
  const operands = help
    .visibleArguments(command)
    .map((each): [string, string] => [help.argumentTerm(each), help.argumentDescription(each)]);
  const options = help
    .visibleOptions(command)
    .map((each): [string, string] => [help.optionTerm(each), help.optionDescription(each)]);
  const description = help.commandDescription(command);
  return [
    `${help.styleTitle("Usage:")} ${help.commandUsage(command)}`,
    "",
    ...(description === "" ? [] : [help.boxWrap(description, width), ""]),
    ...section("Commands:", commands),
    ...section("Arguments:", operands),
    ...section("Options:", options),
    ...(command.parent ? [help.boxWrap(globalLine(command), width), ""] : []),
  ].join("\n");
}

/** The names of the options that every command takes. */
function globalLine(command: Command): string {
  let root = command;
  while (root.parent) root = root.parent;
  const names = root.options
    .filter(({ hidden, long }) => !hidden && long !== "--version")
    .map(({ long }) => long);
  return `Global options: ${names.join(" ")}; formflag --help describes them`;
}
