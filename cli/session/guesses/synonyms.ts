import type { Command } from "commander";
import { readLine } from "../command-line.ts";
import { VERB_GUESSES, guessIn } from "./commands.ts";

/** Verbs that a noun may have, with the words that mean the same; none of these deletes without being asked to. */
const VERBS: readonly (readonly [words: string, verbs: readonly string[]])[] = [
  ["add new", ["create", "add"]],
  ["update edit", ["set"]],
  ["show view describe", ["get"]],
  ["remove rm", ["delete", "revoke"]],
  ["on open", ["enable"]],
  ["off close", ["disable"]],
];

const NOUNS: Readonly<Record<string, string>> = { env: "environments", envs: "environments" };

/**
 * A command line that commander refuses for a word that means a command, such as `flag show`, with that command in its place;
 * null for any other. `program` has every command.
 */
export function meantLine(message: string, args: readonly string[], program: Command): string[] | null {
  const [, word] = /^unknown command '(.*)'$/.exec(message) ?? [];
  const { command, operands } = readLine(args, program);
  const [first] = operands;
  if (first === undefined || first.word !== word) return null;
  const meant = command === program ? nounOf(word, program) : verbOf(word, command);
  return meant === null ? null : args.toSpliced(first.at, 1, meant);
}

/** The noun of a word in the other number. */
function nounOf(word: string, program: Command): string | null {
  const nouns = program.commands.filter(({ commands }) => commands.length > 0).map((each) => each.name());
  const forms = new Set([`${word}s`, word.replace(/y$/, "ies"), word.replace(/s$/, ""), NOUNS[word]]);
  return nouns.find((each) => forms.has(each)) ?? null;
}

function verbOf(word: string, noun: Command): string | null {
  if (guessIn(VERB_GUESSES[noun.name()], word) !== null) return null;
  const verbs = VERBS.find(([words]) => words.split(" ").includes(word))?.[1] ?? [];
  return verbs.find((verb) => noun.commands.some((each) => each.name() === verb)) ?? null;
}
