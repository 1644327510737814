import type { Command } from "commander";
import type { Project } from "../../../src/projects/project.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

export function addListCommand(projects: Command, io: Io): void {
  projects
    .command("list")
    .alias("ls")
    .description("list projects by name")
    .addOption(fieldOption())
    .action(action(io, () => {}, run));
}

async function run({ client, print, suggest }: Session): Promise<void> {
  const all = await listAll<Project>(client, "/projects", "projects");
  const rows = all.map(({ slug, name, key, environments }) => [
    slug,
    name,
    key,
    environments.map((environment) => environment.slug).join(", "),
  ]);
  await print(all, table(["PROJECT", "NAME", "KEY", "ENVIRONMENTS"], rows));
  if (all.length === 0) suggest("No projects yet. Next: formflag projects create <project>");
}
