import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { type Place, readPlace } from "./place.ts";

export function addUsageCommand(flags: Command, io: Io): void {
  flags
    .command("usage")
    .argument("[flag]", "slug of the flag")
    .description("count what readers of a flag got today, by variant. Counts are at most a minute late")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--zone <zone>", "time zone of the day, such as Europe/Berlin (default: that of this computer)")
    .addOption(fieldOption())
    .addHelpText("after", HELP)
    .action(action(io, parse, run));
}

const HELP = `
The server counts reads of one flag and of all flags of an environment. Readers that evaluate by themselves, with flagd,
are not counted.

Examples:
  formflag flags usage search -p shop -e production
  formflag flags usage search -p shop -e production --zone UTC --json
`;

type Values = Place & { timeZone: string };

async function parse(input: Input, given: string | undefined): Promise<Values> {
  const { zone } = input.options as { zone?: string };
  const place = await readPlace(input, given);
  return { ...place, timeZone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
}

async function run(session: Session, { timeZone, ...names }: Values): Promise<void> {
  const usage = await session.client.call(operations.usage, { names, query: { timeZone } });
  const { day, reads, variants, none } = usage;
  const counts = [...Object.entries(variants), ...(none > 0 ? [["no variant", none] as const] : [])];
  const lines = counts.map(([name, count]): [string, string] => [
    name,
    `${count} (${Math.round((1000 * count) / reads) / 10} %)`,
  ]);
  await session.print(
    usage,
    details([["flag", names.flag], ["day", `${day}, ${usage.timeZone}`], ["reads", String(reads)], ...lines]),
  );
}
