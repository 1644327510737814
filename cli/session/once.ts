import type { Command, Option } from "commander";
import { usage } from "./usage.ts";

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
