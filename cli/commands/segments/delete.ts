import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addDeleteCommand(segments: Command, io: Io): void {
  segments
    .command("delete")
    .argument("[name]", "name of the segment")
    .description("delete a segment that no rule refers to any more")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(revisionOption())
    .addOption(whyOption())
    .action(action(io, parse, run));
}

type Values = { place: Place; headers: Record<string, string> };

async function parse(input: Input, given?: string): Promise<Values> {
  return { place: await readPlace(input, given), headers: ifRevision(input.options) };
}

async function run({ client, confirmDelete, report }: Session, { place, headers }: Values): Promise<void> {
  const { project, environment, segment: name } = place;
  const url = urlOf(place);
  await client.call("GET", url);
  await confirmDelete("segment", name, ` of ${project}/${environment}`);
  await client.call("DELETE", url, undefined, headers);
  await report({ name, result: "deleted" }, shown`deleted segment ${name} of ${project}/${environment}\n`);
}
