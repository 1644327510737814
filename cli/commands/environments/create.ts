import type { Command } from "commander";
import type { Environment } from "../../../src/projects/environment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { describeEnvironment } from "./describe.ts";
import { urlOf } from "./place.ts";
import { colorOf, colorOption } from "./set.ts";

export function addCreateCommand(environments: Command, io: Io): void {
  environments
    .command("create")
    .argument("[environment]", "slug of the new environment")
    .description("create an environment with its key")
    .addOption(projectOption())
    .option("--name <name>", "name for people")
    .option("--from <environment>", "copy every flag's values from that environment")
    .addOption(colorOption())
    .addOption(ifNotExistsOption("the environment"))
    .addOption(whyOption())
    .addOption(fieldOption())
    .addHelpText(
      "after",
      "\nExamples:\n  formflag environments create preview -p shop\n  formflag environments create preview -p shop --from staging\n",
    )
    .action(action(io, parse, run));
}

type Values = {
  project: string;
  environment: {
    slug: string;
    name: string | undefined;
    from: string | undefined;
    color: Environment["color"] | undefined;
  };
  ifNotExists: boolean;
};

async function parse(input: Input, given?: string): Promise<Values> {
  const slug = await input.need(given, "environment");
  const project = await input.project();
  const options = input.options as { name?: string; from?: string; ifNotExists?: true };
  const { name, from, ifNotExists = false } = options;
  return { project, environment: { slug, name, from, color: colorOf(input) }, ifNotExists };
}

async function run({ client, report }: Session, { project, ...values }: Values): Promise<void> {
  const find = () =>
    client.call<Environment>("GET", urlOf({ project, environment: values.environment.slug }));
  const url = path`/projects/${project}/environments`;
  const environment = await create(client, url, values.environment, values.ifNotExists ? find : null);
  await report(environment, describeEnvironment(environment));
}
