import type { Command } from "commander";
import type { Segment } from "../../../src/flags/segment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, indentedJson } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addGetCommand(segments: Command, io: Io): void {
  segments
    .command("get")
    .argument("[name]", "name of the segment")
    .description("show a segment")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(fieldOption())
    .action(action(io, readPlace, run));
}

async function run({ client, print }: Session, place: Place): Promise<void> {
  const { value: segment, revision } = await client.callAt<Segment>("GET", urlOf(place));
  const facts = details([
    ["segment", segment.name],
    ["created", segment.createdAt],
    ["updated", segment.updatedAt],
    ["revision", String(revision)],
  ]);
  await print(segment, `${facts}\nrule\n${indentedJson(segment.rule)}`);
}
