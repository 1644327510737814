import type { Command } from "commander";
import type { Io } from "../output/terminal.ts";

/** Loads what adds a verb, or several, to a noun. */
export type Load = () => Promise<(noun: Command, io: Io) => void>;

/**
 * Adds the verb that follows the noun on a command line, which saves up to a fifth of its time (`npm run bench -- start`); all
 * if none follows: for help, for completion, and for hints on a mistyped verb.
 */
export async function loadVerbs(
  noun: Command,
  io: Io,
  args: readonly string[],
  verbs: readonly [names: string, load: Load][],
): Promise<void> {
  const given = args[args.indexOf(noun.name()) + 1] ?? "";
  const own = verbs.filter(([names]) => names.split(" ").includes(given));
  for (const [, load] of own.length > 0 ? own : verbs) (await load())(noun, io);
}
