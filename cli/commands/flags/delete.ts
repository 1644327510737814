import type { Command } from "commander";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";

export function addDeleteCommand(flags: Command, io: Io): void {
  flags
    .command("delete")
    .argument("[flag]", "slug of the flag")
    .description("delete a flag from every environment of its project")
    .addOption(projectOption())
    .addOption(revisionOption())
    .addOption(whyOption())
    .action(action(io, parse, run));
}

type Values = { slug: string; project: string; revision: number | undefined };

async function parse(input: Input, given?: string): Promise<Values> {
  const slug = await input.need(given, "flag");
  return { slug, project: await input.project(), revision: ifRevision(input.options) };
}

async function run({ client, confirmDelete, report }: Session, values: Values): Promise<void> {
  const { slug, project, revision } = values;
  await confirmDelete("flag", slug, ` from every environment of project ${project}`);
  await client.call(operations.delete, { names: { project, flag: slug }, revision });
  await report({ slug, result: "deleted" }, shown`deleted flag ${slug} of project ${project}\n`);
}
