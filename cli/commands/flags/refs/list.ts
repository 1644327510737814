import type { Command } from "commander";
import type { CodeReferences } from "../../../../src/flags/code/code-reference.ts";
import { fieldOption } from "../../../output/field.ts";
import type { Io } from "../../../output/terminal.ts";
import { printable, shorten, shown, table } from "../../../output/text.ts";
import { action } from "../../../session/action.ts";
import { path } from "../../../session/client.ts";
import { projectOption } from "../../../session/config.ts";
import type { Input } from "../../../session/input.ts";
import { listAll } from "../../../session/pages.ts";
import type { Session } from "../../../session/session.ts";

export function addListCommand(refs: Command, io: Io): void {
  refs
    .command("list")
    .alias("ls")
    .argument("[flag]", "only those to that flag")
    .description("list where the uploaded source code names flags")
    .addOption(projectOption())
    .option("--branch <branch>", "only those on that branch")
    .option("--name <name>", "only those in the code of that name")
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
Lists what flags refs scan --upload or an SDK has sent. Lines have a link where the repository is on GitHub, GitLab or
Gitea, by the name of its host.

Examples:
  formflag flags refs list -p shop
  formflag flags refs list new-checkout -p shop --branch main --json
`,
    )
    .action(action(io, parse, run));
}

type Values = { project: string; flag: string | undefined; query: Record<string, string> };

async function parse(input: Input, flag?: string): Promise<Values> {
  const { branch, name: projectName } = input.options as { branch?: string; name?: string };
  const given = Object.entries({ flag, branch, projectName });
  const query = given.filter((each): each is [string, string] => each[1] !== undefined);
  return { project: await input.project(), flag, query: Object.fromEntries(query) };
}

/** Columns of a line of code. */
const LINE_WIDTH = 60;

async function run({ client, print, suggest }: Session, { project, flag, query }: Values): Promise<void> {
  const url = path`/projects/${project}/code-refs`;
  const lists = await listAll<CodeReferences>(client, url, "references", { query });
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
