import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addDeleteCommand(environments: Command, io: Io): void {
  environments
    .command("delete")
    .argument("[environment]", "slug of the environment")
    .description("delete an environment and its flag values")
    .addOption(projectOption())
    .addOption(whyOption())
    .action(action(io, readPlace, run));
}

async function run({ client, confirmDelete, report }: Session, place: Place): Promise<void> {
  const { project, environment: slug } = place;
  const url = urlOf(place);
  await client.call("GET", url);
  await confirmDelete("environment", slug, ` of project ${project} with its flag values`);
  await client.call("DELETE", url);
  await report({ slug, result: "deleted" }, shown`deleted environment ${slug} of project ${project}\n`);
}
