import { Command, type Help, type Option } from "commander";
import { own } from "../src/base/shapes/own.ts";
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

/** The commands that the help of the program explains, by what they are for. */
const GROUPS: Record<string, string[]> = {
  Start: ["serve", "demo", "status", "use", "docs"],
  Forms: ["forms", "submissions", "targets"],
  Flags: ["projects", "flags", "experiments", "changes"],
  "As code": ["diff", "apply"],
  People: ["users", "tokens", "login"],
  Server: ["service", "backup", "doctor"],
};

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
      formatHelp: isOptions(args)
        ? formatHelp
        : (command, help) => (command.parent ? formatHelp : overview)(command, help),
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
    .showSuggestionAfterError(false);
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

/** Whether a command line wants to know the options of every command. */
export function isOptions([help, options]: readonly string[]): boolean {
  return help === "help" && options === "options";
}

/** The help of the program: what to begin with, and the commands by what they are for. */
function overview(program: Command, help: Help): string {
  const named = new Set(Object.values(GROUPS).flat());
  const rows = Object.entries(GROUPS).flatMap(([group, names]) =>
    names.map((name, index): string => {
      const start = `${(index === 0 ? group : "").padEnd(9)}${name.padEnd(13)}`;
      return `${help.styleTitle(start.slice(0, 9))}${start.slice(9)}${own(COMMANDS, name)![0]}`;
    }),
  );
  const others = program.commands
    .map((each) => each.name())
    .filter((name) => !named.has(name) && name !== "help");
  const width = help.helpWidth ?? WIDTH;
  return [
    `${program.description()} For example:`,
    "  formflag serve",
    "  formflag forms create contact",
    "  formflag projects create shop",
    "  formflag flags set shop/production/new-checkout --on",
    "",
    ...rows,
    help.boxWrap(`More: ${others.join(" ")}`, width),
    "Help: formflag <command> --help; options of every command: formflag help options",
    "",
  ].join("\n");
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
  const options = [
    ...Map.groupBy(help.visibleOptions(command), (each) => each.helpGroupHeading ?? "Options:"),
  ];
  const description = help.commandDescription(command);
  return [
    `${help.styleTitle("Usage:")} ${help.commandUsage(command)}`,
    "",
    ...(description === "" ? [] : [help.boxWrap(description, width), ""]),
    ...section("Commands:", commands),
    ...section("Arguments:", operands),
    ...options.flatMap(([title, all]) =>
      section(
        title,
        all.map((each) => [help.optionTerm(each), help.optionDescription(each)]),
      ),
    ),
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
  return `Global options: ${names.join(" ")}; formflag help options describes them`;
}
