import type { Command, Help } from "commander";
import { WIDTH } from "./terminal.ts";

/** The help of a command: its subcommands first, then its arguments and options; global options are one line. */
export function formatHelp(command: Command, help: Help): string {
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
