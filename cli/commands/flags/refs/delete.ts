import type { Command } from "commander";
import type { Io } from "../../../output/terminal.ts";
import { shown } from "../../../output/text.ts";
import { action } from "../../../session/action.ts";
import { path } from "../../../session/client.ts";
import { projectOption } from "../../../session/config.ts";
import type { Input } from "../../../session/input.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";

export function addDeleteCommand(refs: Command, io: Io): void {
  refs
    .command("delete")
    .description("delete the code references of a branch, for one name or for all")
    .addOption(projectOption())
    .option("--branch <branch>", "the branch")
    .option("--name <name>", "only those in the code of that name")
    .addHelpText(
      "after",
      `
A branch that is gone names its flags until its references are deleted.

Examples:
  formflag flags refs delete -p shop --branch feature/checkout --yes
  formflag flags refs delete -p shop --branch feature/checkout --name web --yes
`,
    )
    .action(action(io, parse, run));
}

type Values = { project: string; branch: string; name: string | undefined };

async function parse(input: Input): Promise<Values> {
  const { branch, name } = input.options as { branch?: string; name?: string };
  if (branch === undefined) throw usage("the branch is missing", "give it with --branch");
  return { project: await input.project(), branch, name };
}

async function run(
  { client, confirmDelete, report }: Session,
  { project, branch, name }: Values,
): Promise<void> {
  const where = `${name === undefined ? "" : ` of ${name}`} in ${project}`;
  await confirmDelete("code references of branch", branch, where);
  const query = new URLSearchParams({ branch, ...(name === undefined ? {} : { projectName: name }) });
  await client.call("DELETE", `${path`/projects/${project}/code-refs`}?${query.toString()}`);
  await report(
    { branch, ...(name === undefined ? {} : { projectName: name }), result: "deleted" },
    shown`deleted code references of branch ${branch}${where}\n`,
  );
}
