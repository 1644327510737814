import type { Command } from "commander";
import { codeReferences as operations } from "../../../../src/operations/code-references.ts";
import type { Io } from "../../../output/terminal.ts";
import { printable, shorten, shown, table } from "../../../output/text.ts";
import { listAll } from "../../../session/pages.ts";
import { usage } from "../../../session/usage.ts";
import { addScanCommand } from "./scan.ts";
import { verb } from "../../../session/verb.ts";

export function addRefsCommands(flags: Command, io: Io): void {
  const refs = flags.command("refs").description("compare flags with the source code that reads them");
  addScanCommand(refs, io);
  addListCommand(refs, io);
  addDeleteCommand(refs, io);
}

const addListCommand = verb("list ls", {
  argument: ["[flag]", "only those to that flag"],
  description: "list the places in uploaded source code that name flags",
  options: [
    "project",
    ["--branch <branch>", "only those on that branch"],
    ["--name <name>", "only those in the code of that name"],
    "field",
  ],
  help: `
Lists the references that flags refs scan --upload or an SDK has sent. Lines have a link if the host name of the
repository contains GitHub, GitLab or Gitea.

Examples:
  formflag flags refs list -p shop
  formflag flags refs list new-checkout -p shop --branch main --json
`,
  parse: async (input, flag) => {
    const { branch, name: projectName } = input.options as { branch?: string; name?: string };
    const given = Object.entries({ flag, branch, projectName });
    const query = given.filter((each): each is [string, string] => each[1] !== undefined);
    return { project: await input.project(), flag, query: Object.fromEntries(query) };
  },
  run: async ({ client, print, suggest }, { project, flag, query }) => {
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
  },
});

/** Columns of a line of code. */
const LINE_WIDTH = 60;

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const addDeleteCommand = verb("delete", {
  description: "delete the code references of a branch, for one name or for all",
  options: [
    "project",
    ["--branch <branch>", "the branch"],
    ["--name <name>", "only those in the code of that name"],
  ],
  help: `
The references of a deleted branch count until you delete them here.

Examples:
  formflag flags refs delete -p shop --branch feature/checkout --yes
  formflag flags refs delete -p shop --branch feature/checkout --name web --yes
`,
  parse: async (input) => {
    const { branch, name } = input.options as { branch?: string; name?: string };
    if (branch === undefined) throw usage("the branch is missing", "give it with --branch");
    return { project: await input.project(), branch, name };
  },
  run: async ({ client, confirmDelete, report }, { project, branch, name }) => {
    const where = `${name === undefined ? "" : ` of ${name}`} in ${project}`;
    await confirmDelete("code references of branch", branch, where);
    await client.call(operations.delete, { names: { project }, query: { branch, projectName: name } });
    await report(
      { branch, ...(name === undefined ? {} : { projectName: name }), result: "deleted" },
      shown`deleted code references of branch ${branch}${where}\n`,
    );
  },
});
