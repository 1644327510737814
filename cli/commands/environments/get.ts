import type { Command } from "commander";
import type { Environment } from "../../../src/projects/environment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { describeEnvironment } from "./describe.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addGetCommand(environments: Command, io: Io): void {
  environments
    .command("get")
    .argument("[environment]", "slug of the environment")
    .description("show an environment with its key")
    .addOption(projectOption())
    .addOption(fieldOption())
    .action(action(io, readPlace, run));
}

async function run({ client, print }: Session, place: Place): Promise<void> {
  const environment = await client.call<Environment>("GET", urlOf(place));
  await print(environment, describeEnvironment(environment));
}
