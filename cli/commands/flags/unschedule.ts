import type { Command } from "commander";
import { noSuchScheduled } from "../../../src/flags/schedule/scheduled-change.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { listScheduled } from "./scheduled-change.ts";

export function addUnscheduleCommand(flags: Command, io: Io): void {
  flags
    .command("unschedule")
    .argument("[id]", "id of the scheduled change")
    .description("cancel a scheduled change")
    .addOption(projectOption())
    .addHelpText(
      "after",
      "\nExamples:\n  formflag flags scheduled -p shop\n  formflag flags unschedule k3v9-x2mq-71bd -p shop\n",
    )
    .action(action(io, parse, run));
}

type Values = { id: string; project: string };

async function parse(input: Input, given?: string): Promise<Values> {
  const id = await input.need(given, "id");
  return { id, project: await input.project() };
}

async function run({ client, report }: Session, { id, project }: Values): Promise<void> {
  const scheduled = (await listScheduled(client, project)).find((each) => each.id === id);
  if (!scheduled) throw noSuchScheduled(id);
  await client.call(
    "DELETE",
    path`/projects/${project}/environments/${scheduled.environment}/scheduled/${id}`,
  );
  await report({ id, result: "cancelled" }, shown`cancelled ${id}\n`);
}
