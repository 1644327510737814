import type { Command } from "commander";
import { usage } from "../usage.ts";

/** Makes `shop/production/search` the flag `search` with `-p shop -e production`. */
export function splitFlag(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (argument.name() !== "flag") continue;
    const given: unknown = command.processedArgs[index];
    const flags = (Array.isArray(given) ? given : [given]) as (string | undefined)[];
    const parts = flags.map((flag) => flag?.split("/") ?? []);
    if (!parts.some(({ length }) => length > 1)) continue;
    const other = flags[parts.findIndex(({ length }) => length !== 1 && length !== 3)];
    if (other !== undefined)
      throw usage(
        `${other} is not a flag`,
        "write it alone, with -p <project> and -e <environment>, or in one word as in shop/production/search",
      );
    const [[project, environment] = []] = parts;
    if (!parts.every((each) => each.length === 3 && each[0] === project && each[1] === environment))
      throw usage(
        "these flags are not in one environment",
        "write each of them with the same project and environment, as in shop/production/search",
      );
    for (const [name, value] of Object.entries({ project, environment })) {
      const option = command.options.find((each) => each.attributeName() === name);
      if (!option)
        throw usage(
          `this command takes no ${name}`,
          `write the flag alone: ${parts.map((each) => each[2]).join(" ")}`,
        );
      if (command.getOptionValueSource(name) === "cli" && String(command.opts()[name]) !== value)
        throw usage(`the flag names another ${name} than -${name[0]}`, `leave out -${name[0]}`);
      command.setOptionValueWithSource(name, "isList" in option ? [value] : value, "cli");
    }
    const names = parts.map((each) => each[2]!);
    command.processedArgs[index] = Array.isArray(given) ? names : names[0];
  }
}
