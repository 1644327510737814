import type { Command } from "commander";
import type { Project } from "../../../src/projects/project.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { collect } from "../../session/values.ts";
import { describeProject } from "./describe.ts";

export function addCreateCommand(projects: Command, io: Io): void {
  projects
    .command("create")
    .argument("[project]", "slug of the new project")
    .description("create a project with its environments and keys")
    .option("--name <name>", "name for people")
    .option("--environments <list>", "environments, by commas (default: develop,staging,production)", collect)
    .addOption(ifNotExistsOption("the project"))
    .addOption(fieldOption())
    .addHelpText(
      "after",
      "\nExamples:\n  formflag projects create shop\n  formflag projects create shop --environments test,live\n",
    )
    .action(action(io, parse, run, BEGINS));
}

type Values = {
  project: { slug: string; name: string | undefined; environments: string[] | undefined };
  ifNotExists: boolean;
};

async function parse(input: Input, given?: string): Promise<Values> {
  const slug = await input.need(given, "project");
  const options = input.options as { name?: string; environments?: string[]; ifNotExists?: true };
  const { name, environments, ifNotExists = false } = options;
  if (environments?.length === 0)
    throw usage("--environments names none", "leave it out for the usual three");
  return { project: { slug, name, environments }, ifNotExists };
}

async function run({ client, report, suggest }: Session, values: Values): Promise<void> {
  const { slug } = values.project;
  const find = () => client.call<Project>("GET", path`/projects/${slug}`);
  const project = await create(client, "/projects", values.project, values.ifNotExists ? find : null);
  await report(project, describeProject(project));
  const environment = project.environments[0]?.slug ?? "<environment>";
  suggest(shown`\nNext: formflag flags set <flag> -p ${slug} -e ${environment} --on`);
}
