import type { Command } from "commander";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { fieldOrFilterOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import { listSome } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { countValue } from "../../session/values.ts";
import { summaryOf } from "./describe.ts";
import { type Filter, filterIn, filterOptions } from "./filter.ts";
import { folderOptions } from "./folder.ts";

const DEFAULT_LIMIT = 50;

export function addListCommand(submissions: Command, io: Io): void {
  const list = submissions
    .command("list")
    .alias("ls")
    .argument("[form]", "slug or key of the form")
    .description("list the submissions in the inbox of a form, newest first");
  for (const option of [...folderOptions(), ...filterOptions(), fieldOrFilterOption()])
    list.addOption(option);
  list
    .option("--limit <n>", "how many", String(DEFAULT_LIMIT))
    .option("--before <id>", "only older ones than that submission, for the next page")
    .addHelpText(
      "after",
      `
If there are more, standard error shows how many, up to 1,000 and without a filter, and the command for the next page.

Examples:
  formflag submissions list contact
  formflag submissions list contact --before 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions list contact --limit 1000 --json
  formflag submissions list contact --spam
  formflag submissions list contact --search 'ann invoice' --since 7d
  formflag submissions list contact --field topic=billing --unread
  formflag submissions list contact --field email=ann@example.com --field id
`,
    )
    .action(action(io, parse, run));
}

type Values = { form: string; limit: number; before: string | undefined; filter: Filter };

async function parse(input: Input, given?: string): Promise<Values> {
  const form = await input.need(given, "form");
  const { limit, before } = input.options as { limit: string; before?: string };
  const filter = filterIn(input.options, Date.now());
  return { form, limit: countValue(limit, "--limit", 1), before, filter };
}

async function run(
  { client, print, note, suggest }: Session,
  { form, limit, before, filter }: Values,
): Promise<void> {
  const { folder, isSelective } = filter;
  const query: [string, string][] = [...filter.query];
  if (before !== undefined) query.push(["before", before]);
  const url = path`/forms/${form}/submissions`;
  const listing = { query, cursor: "before", limit, maxPage: MAX_PAGE, mayBeEmpty: isSelective } as const;
  const listed = await listSome<Submission>(client, url, "submissions", listing);
  const { items, next, total, indexing = 0 } = listed;
  const hasReasons = folder === "spam" || folder === "all";
  const rows = items.map(({ id, createdAt, data, files, spam }) => [
    id,
    createdAt,
    files.length === 0 ? "" : String(files.length),
    ...(hasReasons ? [spam ?? ""] : []),
    shorten(summaryOf(data), 60),
  ]);
  await print(items, table(["ID", "RECEIVED", "FILES", ...(hasReasons ? ["SPAM"] : []), "FIELDS"], rows));
  if (indexing > 0) {
    const left = indexing.toLocaleString("en");
    note(`up to ${left} new submissions are not searched yet; repeat the command in a moment\n`, {
      withJson: true,
    });
  }
  const noun = (total ?? items.length) === 1 ? "submission" : "submissions";
  if (next !== null) {
    const count = total === undefined ? "" : shown` of ${total}`;
    const limited = limit === DEFAULT_LIMIT ? "" : shown` --limit ${limit}`;
    const more = shown`formflag submissions list ${form} --before ${next}`;
    const selected = shown`${filter.words}`;
    note(`${items.length}${count} ${noun}; older ones: ${more}${selected}${limited}\n`, { withJson: true });
  } else if (items.length === 0) suggest(isSelective ? "No such submissions." : "No submissions here.");
  else suggest(`${total ?? items.length} ${noun}`);
}
