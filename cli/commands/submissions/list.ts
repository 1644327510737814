import { clock } from "../../../src/base/clock.ts";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { nameIn } from "../../../src/forms/form-name.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import { fieldOrFilterOption } from "../../output/field.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { shorten, shown, table } from "../../output/text.ts";
import { type FormFilter, formFilter } from "../form-filter.ts";
import { listSome } from "../../session/pages.ts";
import { usage } from "../../session/usage.ts";
import { countValue } from "../../session/values.ts";
import { summaryOf } from "./describe.ts";
import {
  type Filter,
  filterIn,
  filterOptions,
  folderOptions,
  parametersOf,
  requireAddress,
} from "./filter.ts";
import { verb } from "../../session/verb.ts";

const DEFAULT_LIMIT = 50;

export const addListCommand = verb("list ls", {
  argument: ["[form]", "slug or key of the form"],
  description: "list the submissions in the inbox of a form, or of all forms, newest first",
  options: [
    ...folderOptions(),
    ...filterOptions(),
    fieldOrFilterOption(),
    "project of forms",
    [
      "--email <address>",
      "only submissions that a purge of this address would delete, in every form and folder",
    ],
    ["--limit <n>", "how many", String(DEFAULT_LIMIT)],
    ["--before <id>", "only submissions older than this one, for the next page"],
  ],
  help: `
If there are more, standard error shows the command for the next page and, for one form without a filter, their number.

Examples:
  formflag submissions list
  formflag submissions list contact
  formflag submissions list contact --before 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions list contact --limit 1000 --json
  formflag submissions list contact --spam
  formflag submissions list contact --search 'ann invoice' --since 7d
  formflag submissions list contact --where topic=billing --unread
  formflag submissions list contact --where email=ann@example.com --field id
  formflag submissions list --email ann@example.com
`,
  parse: async (input, form) => {
    const { limit, before, email } = input.options as { limit: string; before?: string; email?: string };
    const filter = filterIn(input.options, clock.now());
    if (email !== undefined) requireAddress(email);
    if (email !== undefined && (form !== undefined || filter.query.length > 0))
      throw usage(
        "--email covers every form and folder, and goes with --project, --limit and --before alone",
        "leave out the others, or compare a field: --where email=ann@example.com",
      );
    return {
      ...(await formFilter(input, form)),
      email,
      limit: countValue(limit, "--limit", 1),
      before,
      filter,
    };
  },
  run: async ({ client, print, note, suggest }, values) => {
    const { form, project, email, limit, before, filter } = values;
    const { folder } = filter;
    const isSelective = filter.isSelective || form === undefined;
    const query = { ...parametersOf(filter.query), project, email, before };
    const page = { query, cursor: "before", limit, maxPage: MAX_PAGE, mayBeEmpty: isSelective } as const;
    const listed = await (form === undefined
      ? listSome(client, inbox.list, page)
      : listSome(client, inbox.ofForm, { names: { form }, ...page }));
    const { items, next, total, indexing = 0 } = listed;
    await print(
      items,
      tableOf(items, form === undefined, folder === "spam" || folder === "all" || email !== undefined),
    );
    if (indexing > 0) {
      const left = indexing.toLocaleString("en");
      note(`up to ${left} new submissions are not searched yet; repeat the command in a moment\n`, {
        withJson: true,
      });
    }
    const noun = (total ?? items.length) === 1 ? "submission" : "submissions";
    if (next !== null) {
      const count = total === undefined ? "" : shown` of ${total}`;
      note(`${items.length}${count} ${noun}; older ones: ${commandAfter(next, values)}\n`, {
        withJson: true,
      });
    } else if (items.length === 0) suggest(isSelective ? "No such submissions." : "No submissions here.");
    else suggest(`${total ?? items.length} ${noun}`);
  },
});

type Values = FormFilter & {
  email: string | undefined;
  limit: number;
  before: string | undefined;
  filter: Filter;
};

function tableOf(items: readonly Submission[], hasForms: boolean, hasReasons: boolean): string {
  const hasProjects = new Set(items.map(({ project }) => project)).size > 1;
  const rows = items.map(({ id, project, form, createdAt, data, files, spam }) => [
    id,
    ...(hasForms ? [hasProjects ? nameIn(project, form) : form] : []),
    createdAt,
    files.length === 0 ? "" : String(files.length),
    ...(hasReasons ? [spam ?? ""] : []),
    shorten(summaryOf(data), 60),
  ]);
  const [forms, reasons] = [hasForms ? ["FORM"] : [], hasReasons ? ["SPAM"] : []];
  return table(["ID", ...forms, "RECEIVED", "FILES", ...reasons, "FIELDS"], rows);
}

/** The command for the next page. */
function commandAfter(next: string | number, { form, project, email, limit, filter }: Values): string {
  const place = form === undefined ? "" : shown` ${form}`;
  const only = project === undefined ? "" : shown` -p ${project}`;
  const address = email === undefined ? "" : shown` --email ${shellWord(email)}`;
  const limited = limit === DEFAULT_LIMIT ? "" : shown` --limit ${limit}`;
  return `formflag submissions list${place}${only}${address}${shown` --before ${next}`}${shown`${filter.words}`}${limited}`;
}
