import type { Command } from "commander";
import type { Environment } from "../../../src/projects/environment.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, shown, table } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { projectOption } from "../../session/config.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import { action } from "../../session/session.ts";
import { addHistoryCommand } from "../history.ts";
import { addLockCommands } from "./lock.ts";

export function addEnvironmentCommands(environments: Command, io: Io): void {
  environments.addHelpText(
    "after",
    `\nExamples:
  formflag environments list -p shop
  formflag environments create preview -p shop --from staging
`,
  );

  environments
    .command("create")
    .argument("[environment]", "slug of the new environment")
    .description("create an environment with its key")
    .addOption(projectOption())
    .option("--name <name>", "name for people")
    .option("--from <environment>", "copy every flag's values from that environment")
    .addOption(ifNotExistsOption("the environment"))
    .addOption(fieldOption())
    .addHelpText(
      "after",
      "\nExamples:\n  formflag environments create preview -p shop\n  formflag environments create preview -p shop --from staging\n",
    )
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "environment");
        const project = await session.project();
        const { name, from } = session.options;
        const url = path`/projects/${project}/environments`;
        const find = () => session.client.call<Environment>("GET", `${url}/${path`${slug}`}`);
        const environment = await create(session, url, { slug, name, from }, find);
        await session.report(environment, describeEnvironment(environment));
      }),
    );

  environments
    .command("list")
    .alias("ls")
    .description("list the environments of a project by name")
    .addOption(projectOption())
    .addOption(fieldOption())
    .action(
      action(io, async (session) => {
        const url = path`/projects/${await session.project()}/environments`;
        const { environments: all } = await session.client.call<{ environments: Environment[] }>("GET", url);
        const rows = all.map(({ slug, name, key, locked }) => [slug, name, key, locked ? "yes" : ""]);
        await session.print(all, table(["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY", "LOCKED"], rows));
      }),
    );

  environments
    .command("get")
    .argument("[environment]", "slug of the environment")
    .description("show an environment with its key")
    .addOption(projectOption())
    .addOption(fieldOption())
    .action(
      action(io, async (session, given) => {
        const project = await session.project();
        const slug = await session.need(given, "environment");
        const environment = await session.client.call<Environment>(
          "GET",
          path`/projects/${project}/environments/${slug}`,
        );
        await session.print(environment, describeEnvironment(environment));
      }),
    );

  environments
    .command("delete")
    .argument("[environment]", "slug of the environment")
    .description("delete an environment and its flag values")
    .addOption(projectOption())
    .action(
      action(io, async (session, given) => {
        const project = await session.project();
        const slug = await session.need(given, "environment");
        const url = path`/projects/${project}/environments/${slug}`;
        await session.client.call("GET", url);
        await session.confirmDelete("environment", slug, ` of project ${project} with its flag values`);
        await session.client.call("DELETE", url);
        await session.report(
          { slug, result: "deleted" },
          shown`deleted environment ${slug} of project ${project}\n`,
        );
      }),
    );

  addLockCommands(environments, io);
  addHistoryCommand(environments, io, "environment");
}

function describeEnvironment({ slug, name, key, locked }: Environment): string {
  return details([
    ["environment", slug],
    ["name", name],
    ["x-environment-key", key],
    ...(locked ? [["locked", "yes"] as [string, string]] : []),
  ]);
}
