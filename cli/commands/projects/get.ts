import type { Command } from "commander";
import type { Project } from "../../../src/projects/project.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeProject } from "./describe.ts";

export function addGetCommand(projects: Command, io: Io): void {
  projects
    .command("get")
    .argument("[project]", "slug of the project")
    .description("show a project with its keys")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return given ?? input.project();
}

async function run({ client, print }: Session, slug: string): Promise<void> {
  const project = await client.call<Project>("GET", path`/projects/${slug}`);
  await print(project, describeProject(project));
}
