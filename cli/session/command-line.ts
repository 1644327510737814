import { type Command, Option } from "commander";
import { usage } from "./usage.ts";
import { collect, collectPhrases } from "./values.ts";

/** A word of a command line that is neither an option nor its value. */
type Operand = {
  word: string;
  at: number;
  /** The option whose value the word follows directly, or after other operands. */
  after: { option: Option; at: number } | null;
};

/** A command line: its command with its parents, and the operands of the command. */
export type Line = { command: Command; operands: Operand[] };

/** Reads a command line as commander does. Throws `invalid` for an option that has another option in place of its value. */
export function readLine(args: readonly string[], program: Command): Line {
  let command = program;
  const operands: Operand[] = [];
  let after: Operand["after"] = null;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    if (word === "--") {
      for (at += 1; at < args.length; at += 1) operands.push({ word: args[at]!, at, after: null });
      break;
    }
    if (word.startsWith("-") && word.length > 1) {
      const option = optionNamed(command, word.replace(/^(--[^=]+)=.*$/s, "$1"));
      after = option ? { option, at } : null;
      if (!option?.required || word.includes("=")) continue;
      at += 1;
      after = { option, at };
      const value = args[at];
      if (value !== undefined && value.length > 1 && optionNamed(command, value))
        throw usage(
          `${word} needs a value, and ${value} follows it`,
          `write ${word} ${valueOf(option)}, or for a value that begins with a dash ${option.long}=${value}`,
        );
      continue;
    }
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next && operands.length === 0) {
      command = next;
      after = null;
    } else operands.push({ word, at, after });
  }
  return { command, operands };
}

/** The option of a command or of its parents. */
function optionNamed(command: Command, name: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === name || short === name);
  return own ?? (command.parent ? optionNamed(command.parent, name) : undefined);
}

/** `<form>` of `--form <form>`. */
function valueOf({ flags }: Option): string {
  return /<[^>]*>/.exec(flags)?.[0] ?? "<value>";
}

/** The names of a command and of its parents, without the program itself: `flags set`. */
export function pathOf(command: Command): string {
  if (!command.parent) return "";
  return `${pathOf(command.parent)} ${command.name()}`.trimStart();
}

/**
 * Declares guesses: words that people type at a command for what it has under another name. Each line has the words, a colon,
 * and the hint. Words of a noun are verbs; a pattern such as `/^\d+$/` is for arguments too many, `*` for any of them, and `$0`
 * in the hint for the argument. In brackets before the words are the commands at which they are typed, `formflag` for a word in
 * place of a command. A hint that is just a command or an option becomes a sentence. ASCII alone: the compiler escapes other
 * characters in raw templates.
 */
export function heard(command: Command & { heard?: string }): (lines: TemplateStringsArray) => void {
  return ({ raw: [lines] }) => void (command.heard = (command.heard ?? "") + lines);
}

/** How many operands a command takes. */
export function capacityOf({ registeredArguments }: Command): number {
  return registeredArguments.some(({ variadic }) => variadic) ? Infinity : registeredArguments.length;
}

type ListOption = Option & { isList?: true };

/**
 * An option that takes a list: separated by commas, by spaces, or in an option each. The items of `phrases` may contain
 * spaces.
 */
export function listOption(flags: string, description: string, items: "words" | "phrases" = "words"): Option {
  const add = items === "words" ? collect : collectPhrases;
  const option: Option = new Option(flags, description).argParser(
    (text: string, earlier: string[] | undefined) => {
      const all = add(text, earlier);
      if (all.length > (earlier?.length ?? 0)) return all;
      throw usage(`${option.long} is empty`, `write ${option.long} ${valueOf(option)}, or leave it out`);
    },
  );
  // Commander would take every word up to the next option, also the argument of the command.
  option.variadic = false;
  return Object.assign(option, { isList: true } as const);
}

/**
 * Joins the words after the value of a list to that value, if the command takes fewer arguments than are left: in
 * `--notify a b contact` the last word is the argument. A command that takes any number has them before `-e`, if any is
 * there: in `flags enable nc -e staging production` both are environments.
 */
export function joinLists(args: readonly string[], program: Command): string[] {
  const { command, operands } = readLine(args, program);
  const joined: (string | null)[] = [...args];
  const capacity = capacityOf(command);
  const isAny = capacity === Infinity;
  let excess = isAny ? operands.filter(({ after }) => after).length : operands.length - capacity;
  if (isAny && operands[0]?.after !== null) return [...args];
  for (const { word, at, after } of operands) {
    if (excess <= 0) break;
    if (!after || !(after.option as ListOption).isList) continue;
    if (isAny && after.option.long !== "--environment") continue;
    joined[after.at] = `${joined[after.at]},${word}`;
    joined[at] = null;
    excess -= 1;
  }
  return joined.filter((each) => each !== null);
}

/** Commands with the settings of a server: the last one counts, so that a script can append its own. */
const SERVER = new Set(["serve", "doctor", "healthcheck", "service", "config"]);

/** Has a command and its subcommands refuse an option with one value that is given twice: only the last would count. */
export function refuseRepeats(command: Command): void {
  if (SERVER.has(command.name())) return;
  for (const option of command.options) {
    if (isRepeatable(option)) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven)
        throw usage(
          `${option.long} is given more than once`,
          "give it once, and repeat the command for another value",
        );
      isGiven = true;
    });
  }
  for (const each of command.commands) refuseRepeats(each);
}

/** Without a value, with several, or with a parser that also takes the earlier values, as that of choices does in vain. */
function isRepeatable({ required, optional, variadic, parseArg, argChoices }: Option): boolean {
  return !(required || optional) || variadic || (parseArg?.length === 2 && argChoices === undefined);
}

/** Adds the value of an option that may be repeated to those before. */
export function appended(text: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), text];
}

/** The option `--if`, which may be repeated. */
export function conditionOption(description: string): Option {
  return new Option("--if <condition>", description).argParser(appended);
}
