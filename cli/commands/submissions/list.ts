import type { Command } from "commander";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import { listSome } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { countValue } from "../../session/values.ts";
import { summaryOf } from "./describe.ts";
import { type Folder, allOption, folderOf, spamOption } from "./folder.ts";

const DEFAULT_LIMIT = 50;

export function addListCommand(submissions: Command, io: Io): void {
  submissions
    .command("list")
    .alias("ls")
    .argument("[form]", "slug or key of the form")
    .description("list the submissions in the inbox of a form, newest first")
    .addOption(spamOption())
    .addOption(allOption())
    .option("--limit <n>", "how many", String(DEFAULT_LIMIT))
    .option("--before <id>", "only older ones than that submission, for the next page")
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
If there are more, standard error shows how many, up to 1,000, and the command for the next page.

Examples:
  formflag submissions list contact
  formflag submissions list contact --before 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions list contact --limit 1000 --json
  formflag submissions list contact --spam
`,
    )
    .action(action(io, parse, run));
}

type Values = { form: string; limit: number; before: string | undefined; folder: Folder };

async function parse(input: Input, given?: string): Promise<Values> {
  const form = await input.need(given, "form");
  const { limit, before } = input.options as { limit: string; before?: string };
  const folder = folderOf(input.options);
  return { form, limit: countValue(limit, "--limit", 1), before, folder };
}

async function run(
  { client, print, note, suggest }: Session,
  { form, limit, before, folder }: Values,
): Promise<void> {
  const query: Record<string, string> = {
    ...(before !== undefined && { before }),
    ...(folder !== null && { state: folder }),
  };
  const url = path`/forms/${form}/submissions`;
  const listing = { query, cursor: "before", limit, maxPage: MAX_PAGE } as const;
  const { items, next, total } = await listSome<Submission>(client, url, "submissions", listing);
  const rows = items.map(({ id, createdAt, data, files, spam }) => [
    id,
    createdAt,
    files.length === 0 ? "" : String(files.length),
    ...(folder === null ? [] : [spam ?? ""]),
    shorten(summaryOf(data), 60),
  ]);
  await print(
    items,
    table(["ID", "RECEIVED", "FILES", ...(folder === null ? [] : ["SPAM"]), "FIELDS"], rows),
  );
  const noun = (total ?? items.length) === 1 ? "submission" : "submissions";
  if (next !== null) {
    const count = total === undefined ? "" : shown` of ${total}`;
    const limited = limit === DEFAULT_LIMIT ? "" : shown` --limit ${limit}`;
    const more = shown`formflag submissions list ${form} --before ${next}`;
    const inFolder = folder === null ? "" : ` --${folder}`;
    note(`${items.length}${count} ${noun}; older ones: ${more}${inFolder}${limited}\n`, { withJson: true });
  } else if (items.length === 0) suggest("No submissions here.");
  else suggest(`${total ?? items.length} ${noun}`);
}
