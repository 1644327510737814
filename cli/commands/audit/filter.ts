import type { Command } from "commander";
import { clock } from "../../../src/base/clock.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { pastTimeValue } from "../../session/values.ts";

export function withFilters(command: Command): Command {
  return command
    .addOption(projectOption())
    .option("--action <action>", "only this action, such as token.create, or token for all of its actions")
    .option("--who <name>", "only actions of this user, token or operator")
    .option("--since <time>", "only from this time on: ISO 8601, or a time before now such as 7d")
    .option("--until <time>", "only before this time");
}

export function filterIn({ options }: Pick<Input, "options">) {
  const { project, action, who, since, until } = options as Record<string, string | undefined>;
  const timeOf = (text: string | undefined, option: string) =>
    text === undefined ? undefined : pastTimeValue(text, option, clock.now());
  return { project, action, who, since: timeOf(since, "--since"), until: timeOf(until, "--until") };
}
