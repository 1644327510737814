import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shorten, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { changeOf, listScheduled } from "./scheduled-change.ts";

export function addScheduledCommand(flags: Command, io: Io): void {
  flags
    .command("scheduled")
    .description("list the changes that --at and --for have scheduled, the next first")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addHelpText(
      "after",
      `
A server makes them within a second of their time. Where no server runs, the next command that reads flags makes
them, or the next server before it answers.

Examples:
  formflag flags set sale -p shop -e production --on --at 2027-01-31T12:00:00Z
  formflag flags scheduled -p shop
  formflag flags unschedule k3v9-x2mq-71bd -p shop
`,
    )
    .action(action(io, parse, run));
}

type Values = { project: string; environment: string | undefined };

async function parse(input: Input): Promise<Values> {
  const { environment } = input.options as { environment?: string };
  return { project: await input.project(), environment };
}

async function run({ client, print }: Session, { project, environment }: Values): Promise<void> {
  const all = await listScheduled(client, project, environment);
  const rows = all.map((each) => [
    each.id,
    each.at,
    each.flag,
    each.environment,
    shorten(changeOf(each), 60),
    each.who,
  ]);
  await print(all, table(["ID", "AT", "FLAG", "ENVIRONMENT", "CHANGE", "BY"], rows));
}
