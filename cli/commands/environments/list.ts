import type { Command } from "commander";
import type { Environment } from "../../../src/projects/environment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addListCommand(environments: Command, io: Io): void {
  environments
    .command("list")
    .alias("ls")
    .description("list the environments of a project by name")
    .addOption(projectOption())
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

async function parse(input: Input): Promise<string> {
  return input.project();
}

async function run({ client, print }: Session, project: string): Promise<void> {
  const url = path`/projects/${project}/environments`;
  const { environments } = await client.call<{ environments: Environment[] }>("GET", url);
  const rows = environments.map(({ slug, name, key, locked, color }) => [
    slug,
    name,
    key,
    locked ? "yes" : "",
    color ?? "",
  ]);
  await print(environments, table(["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY", "LOCKED", "COLOR"], rows));
}
