import type { Command } from "commander";
import type { Project } from "../../../src/projects/project.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, shown, table } from "../../output/text.ts";
import { path } from "../../session/client.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import { listAll } from "../../session/pages.ts";
import { BEGINS, action } from "../../session/session.ts";
import { collect, usage } from "../../session/values.ts";

export function addProjectCommands(projects: Command, io: Io): void {
  projects.addHelpText(
    "after",
    `\nExamples:
  formflag projects create shop
  formflag projects get shop
  formflag projects get shop --field key
  formflag projects list --json
`,
  );

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
    .action(
      action(
        io,
        async (session, given) => {
          const slug = await session.need(given, "project");
          const { name, environments } = session.options as { name?: string; environments?: string[] };
          if (environments?.length === 0)
            throw usage("--environments names none", "leave it out for the usual three");
          const body = { slug, name, environments };
          const find = () => session.client.call<Project>("GET", path`/projects/${slug}`);
          const project = await create(session, "/projects", body, find);
          await session.report(project, describeProject(project));
          session.suggest(
            shown`\nNext: formflag flags set <flag> -p ${slug} -e ${project.environments[0]?.slug ?? "<environment>"} --on`,
          );
        },
        BEGINS,
      ),
    );

  projects
    .command("list")
    .alias("ls")
    .description("list projects by name")
    .addOption(fieldOption())
    .action(
      action(io, async (session) => {
        const all = await listAll<Project>(session.client, "/projects", "projects");
        const rows = all.map(({ slug, name, key, environments }) => [
          slug,
          name,
          key,
          environments.map((environment) => environment.slug).join(", "),
        ]);
        await session.print(all, table(["PROJECT", "NAME", "KEY", "ENVIRONMENTS"], rows));
        if (all.length === 0) session.suggest("No projects yet. Next: formflag projects create <project>");
      }),
    );

  projects
    .command("get")
    .argument("[project]", "slug of the project")
    .description("show a project with its keys")
    .addOption(fieldOption())
    .action(
      action(io, async (session, given) => {
        const slug = given ?? (await session.project());
        const project = await session.client.call<Project>("GET", path`/projects/${slug}`);
        await session.print(project, describeProject(project));
      }),
    );

  projects
    .command("delete")
    .argument("[project]", "slug of the project")
    .description("delete a project, its environments and flags")
    .addHelpText("after", "\nExample:\n  formflag projects delete shop --yes\n")
    .action(
      action(io, async (session, given) => {
        const slug = await session.need(given, "project");
        await session.client.call("GET", path`/projects/${slug}`);
        await session.confirmDelete("project", slug, " with all its environments and flags");
        await session.client.call("DELETE", path`/projects/${slug}`);
        await session.report({ slug, result: "deleted" }, shown`deleted project ${slug}\n`);
      }),
    );
}

function describeProject({ slug, name, key, environments }: Project): string {
  const rows = environments.map((environment) => [environment.slug, environment.name, environment.key]);
  return (
    details([
      ["project", slug],
      ["name", name],
      ["x-project-key", key],
    ]) + (rows.length > 0 ? `\n${table(["ENVIRONMENT", "NAME", "X-ENVIRONMENT-KEY"], rows)}` : "")
  );
}
