import type { Command } from "commander";
import { ALIASES, SYNONYMS } from "./words.ts";

/** The hint for a noun and a verb in one word, such as `list-flags`, `flags:list` or `createForm`. */
export function dashedHint(word: string, program: Command): string | null {
  const parts = word
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[-:._/]/);
  if (parts.length !== 2) return null;
  for (const [noun, verb] of [parts, parts.toReversed()] as [string, string][]) {
    const named = nounOf(noun, program);
    const known = named && verbOf(named, verb);
    if (known !== undefined) return `type formflag ${named!.name()} ${known}`;
  }
  return null;
}

/** The noun of a word, in the singular too. */
export function nounOf(word: string, program: Command): Command | undefined {
  return program.commands.find((each) => word !== "" && [word, `${word}s`].includes(each.name()));
}

/** The verb of a noun that a word is, or means. */
export function verbOf(noun: Command, word: string): string | undefined {
  const row = [[word], ...SYNONYMS.filter((each) => each.includes(word))].flat();
  return row.find((verb) => noun.commands.some((each) => each.name() === verb));
}

/** The hint for another program's word for a noun, with its verb: `ff list`; null for any other. */
export function aliasHint(
  word: string,
  next: string,
  others: readonly string[],
  program: Command,
): string | null {
  const alias = nounOf(word, program) ? undefined : ALIASES.find((each) => each.includes(word));
  const noun = alias && nounOf(alias[0]!, program);
  const verb = noun && verbOf(noun, next);
  return verb === undefined
    ? null
    : `type formflag ${[noun!.name(), verb, ...others].join(" ")}${placesOf(noun!, verb)}`;
}

/** The options of project and environment that a verb needs. */
function placesOf(noun: Command, verb: string): string {
  const options = noun.commands.find((each) => each.name() === verb)?.options ?? [];
  const needed = options.filter(({ description }) => /^(?:project|environment\b.*)$/.test(description));
  return needed.map(({ short, long }) => ` ${short} <${long!.slice(2)}>`).join("");
}
