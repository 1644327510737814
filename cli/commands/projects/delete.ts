import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addDeleteCommand(projects: Command, io: Io): void {
  projects
    .command("delete")
    .argument("[project]", "slug of the project")
    .description("delete a project, its environments and flags")
    .addHelpText("after", "\nExample:\n  formflag projects delete shop --yes\n")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "project");
}

async function run({ client, confirmDelete, report }: Session, slug: string): Promise<void> {
  const url = path`/projects/${slug}`;
  await client.call("GET", url);
  await confirmDelete("project", slug, " with all its environments and flags");
  await client.call("DELETE", url);
  await report({ slug, result: "deleted" }, shown`deleted project ${slug}\n`);
}
