import { own } from "../../../src/base/shapes/own.ts";
import type { Command, Option } from "commander";
import { pathOf } from "../command-line.ts";
import { EVERYWHERE } from "./words.ts";

/** A line of `heard`: the commands (all, if empty), the words, and the hint. */
type Guess = { at: string[]; words: string[]; hint: string };

function guessesOf(command: Command & { heard?: string }): Guess[] {
  const lines = command.parent ? (command.heard ?? "") : EVERYWHERE;
  return lines.split("\n").flatMap((line) => {
    const [, at = "", words, hint = ""] = /^(?:\[(.*?)\] )?(.*?): (.*)$/.exec(line) ?? [];
    return words === undefined ? [] : [{ at: at.split(" ").filter(Boolean), words: words.split(" "), hint }];
  });
}

/** A command and its parents, up to the program. */
function withParents(command: Command): Command[] {
  return command.parent ? [command, ...withParents(command.parent)] : [command];
}

/** The hint for a word at a command, as the command or its parents declare it; null without one. */
function declared(command: Command, matches: (word: string) => boolean): string | null {
  const names = new Set(withParents(command).map((each) => each.name()));
  for (const each of withParents(command)) {
    const guess = guessesOf(each).find(
      ({ at, words }) => (at.length === 0 || at.some((name) => names.has(name))) && words.some(matches),
    );
    if (guess) return sentenceOf(guess.hint, command);
  }
  return null;
}

/** The hint for an option that a command lacks; null without one. */
export function optionGuess(command: Command, option: string): string | null {
  return declared(command, (word) => word === option);
}

/** The hint for a word that a command does not take; null without one. `isAny`: of those for any word, not of the patterns. */
export function operandGuess(command: Command, operand: string, isAny = false): string | null {
  const matches = (word: string) => {
    const [, pattern, flags] = /^\/(.*)\/(i?)$/.exec(word) ?? [];
    return isAny ? word === "*" : pattern !== undefined && new RegExp(pattern, flags).test(operand);
  };
  return declared(command, matches)?.replaceAll("$0", () => operand) ?? null;
}

/** The hint for a verb that a noun lacks, or for a word that is no command; null without one. */
export function verbGuess(noun: Command, verb: string): string | null {
  const isOf = ({ at, words }: Guess, isOwn: boolean) =>
    words.includes(verb) && (at.length === 0 ? isOwn : at.includes(noun.name()));
  const nouns = (noun.parent ?? noun).commands;
  const guess =
    guessesOf(noun).find((each) => isOf(each, true)) ??
    nouns.flatMap(guessesOf).find((each) => isOf(each, false));
  return guess ? sentenceOf(guess.hint, noun) : null;
}

/** A hint that names just an option or a command, as a sentence. */
function sentenceOf(hint: string, command: Command): string {
  if (/^--[\w-]+$/.test(hint)) return `(Did you mean ${hint}?)`;
  let meant: Command | undefined = withParents(command).at(-1);
  for (const name of hint.split(" ")) meant = meant?.commands.find((each) => each.name() === name);
  return meant ? `type formflag ${usageOf(meant)}` : hint;
}

/** A command with its arguments: `flags get <flag>`. */
export function usageOf(command: Command): string {
  return [pathOf(command), ...command.registeredArguments.map((each) => `<${each.name()}>`)].join(" ");
}

/** Patterns of the values of options, by the name of the value in their help. */
const LOOKS: Record<string, RegExp> = {
  file: /\.\w{2,5}$/,
  address: /@/,
  revision: /^\d+$/,
  id: /^[\da-f-]{36}$/,
};

/** The hint for a word that is the name or the value of an option; null for any other word. */
export function valueGuess(word: string, command: Command, args: readonly string[]): string | null {
  const options = command.options.filter(({ hidden }) => !hidden);
  const named = options.find(({ long }) => long === `--${word}`);
  if (named) return `it is an option: ${named.long}${named.required ? " <value>" : ""}`;
  const kindOf = ({ flags }: Option) => /<([\w-]+)>/.exec(flags)?.[1] ?? "";
  const isArgument = (kind: string) => command.registeredArguments.some((each) => each.name() === kind);
  const fits = (option: Option) =>
    option.argChoices?.includes(word) ||
    (option.long !== "--before" && !isArgument(kindOf(option)) && own(LOOKS, kindOf(option))?.test(word));
  const [option, other] = [
    ...options.filter(fits),
    ...options.filter(({ long, required }) => required && (long === "--form" || long === "--user")),
  ];
  if (!option || (other && fits(other))) return null;
  const { long, short } = option;
  if (args.includes(long!)) return `${long} takes one value: repeat the command with ${long} ${word}`;
  const what = kindOf(option) === "id" ? long!.slice(2) : kindOf(option);
  return `the ${what} is an option: ${short ?? long} ${word}`;
}
