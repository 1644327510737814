import type { Command } from "commander";
import { codeReferences as operations } from "../../../../src/operations/code-references.ts";
import { fieldOption } from "../../../output/field.ts";
import type { Io } from "../../../output/terminal.ts";
import { printable, shorten, shown, table } from "../../../output/text.ts";
import { action } from "../../../session/action.ts";
import { projectOption } from "../../../session/config.ts";
import type { Input } from "../../../session/input.ts";
import { listAll } from "../../../session/pages.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";
import { addScanCommand } from "./scan.ts";

export function addRefsCommands(flags: Command, io: Io): void {
  const refs = flags.command("refs").description("compare flags with the source code that reads them");
  addScanCommand(refs, io);
  addListCommand(refs, io);
  addDeleteCommand(refs, io);
}

function addListCommand(refs: Command, io: Io): void {
  refs
    .command("list")
    .alias("ls")
    .argument("[flag]", "only those to that flag")
    .description("list the places in uploaded source code that name flags")
    .addOption(projectOption())
    .option("--branch <branch>", "only those on that branch")
    .option("--name <name>", "only those in the code of that name")
    .addOption(fieldOption())
    .after(`
Lists the references that flags refs scan --upload or an SDK has sent. Lines have a link if the host name of the
repository contains GitHub, GitLab or Gitea.

Examples:
  formflag flags refs list -p shop
  formflag flags refs list new-checkout -p shop --branch main --json
`)
    .action(action(io, parseList, listReferences));
}

type Selection = { project: string; flag: string | undefined; query: Record<string, string> };

async function parseList(input: Input, flag?: string): Promise<Selection> {
  const { branch, name: projectName } = input.options as { branch?: string; name?: string };
  const given = Object.entries({ flag, branch, projectName });
  const query = given.filter((each): each is [string, string] => each[1] !== undefined);
  return { project: await input.project(), flag, query: Object.fromEntries(query) };
}

/** Columns of a line of code. */
const LINE_WIDTH = 60;

async function listReferences(
  { client, print, suggest }: Session,
  { project, flag, query }: Selection,
): Promise<void> {
  const lists = await listAll(client, operations.list, { names: { project }, query });
  const found = lists
    .toSorted((a, b) => compare(a.slug, b.slug) || compare(a.branch, b.branch))
    .flatMap(({ references, ...rest }) => references.map((reference) => ({ ...rest, ...reference })));
  const rows = found.map((each) => [
    each.slug,
    each.branch,
    each.projectName,
    `${each.filePath}:${each.lineNumber}`,
    shorten(printable(each.lineContent), LINE_WIDTH),
    each.url ?? "",
  ]);
  await print(found, table(["FLAG", "BRANCH", "NAME", "WHERE", "LINE", "LINK"], rows));
  if (found.length > 0) return;
  suggest(
    shown`No code references${flag === undefined ? "" : ` to ${flag}`} here: formflag flags refs scan -p ${project} --upload sends them.`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function addDeleteCommand(refs: Command, io: Io): void {
  refs
    .command("delete")
    .description("delete the code references of a branch, for one name or for all")
    .addOption(projectOption())
    .option("--branch <branch>", "the branch")
    .option("--name <name>", "only those in the code of that name")
    .after(`
The references of a deleted branch count until you delete them here.

Examples:
  formflag flags refs delete -p shop --branch feature/checkout --yes
  formflag flags refs delete -p shop --branch feature/checkout --name web --yes
`)
    .action(action(io, parseDelete, deleteReferences));
}

type Deleted = { project: string; branch: string; name: string | undefined };

async function parseDelete(input: Input): Promise<Deleted> {
  const { branch, name } = input.options as { branch?: string; name?: string };
  if (branch === undefined) throw usage("the branch is missing", "give it with --branch");
  return { project: await input.project(), branch, name };
}

async function deleteReferences(
  { client, confirmDelete, report }: Session,
  { project, branch, name }: Deleted,
): Promise<void> {
  const where = `${name === undefined ? "" : ` of ${name}`} in ${project}`;
  await confirmDelete("code references of branch", branch, where);
  await client.call(operations.delete, { names: { project }, query: { branch, projectName: name } });
  await report(
    { branch, ...(name === undefined ? {} : { projectName: name }), result: "deleted" },
    shown`deleted code references of branch ${branch}${where}\n`,
  );
}
