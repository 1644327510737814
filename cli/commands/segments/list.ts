import type { Command } from "commander";
import type { Segment } from "../../../src/flags/segment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

export function addListCommand(segments: Command, io: Io): void {
  segments
    .command("list")
    .alias("ls")
    .description("list the segments of an environment by name")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

type Values = { project: string; environment: string };

async function parse(input: Input): Promise<Values> {
  const project = await input.project();
  return { project, environment: await input.environment(project) };
}

async function run({ client, print, suggest }: Session, { project, environment }: Values): Promise<void> {
  const url = path`/projects/${project}/environments/${environment}/segments`;
  const all = await listAll<Segment>(client, url, "segments");
  const rows = all.map(({ name, rule, updatedAt }) => [name, updatedAt, shorten(JSON.stringify(rule), 60)]);
  await print(all, table(["SEGMENT", "UPDATED", "RULE"], rows));
  if (all.length > 0) return;
  suggest(
    shown`No segments yet. Next: formflag segments set <name> -p ${project} -e ${environment} --rule JSON`,
  );
}
