import { type Command, Option } from "commander";
import type { Ratings, viewFeedback } from "../../../src/flags/previews/feedback.ts";
import { feedback as operations } from "../../../src/operations/feedback.ts";
import { type Io, WIDTH } from "../../output/terminal.ts";
import { counted, printable, shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import { listSome } from "../../session/pages.ts";
import { usage } from "../../session/usage.ts";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import { csvCell } from "../../../src/forms/transfer/csv.ts";
import { exportFormat, saveTo, writeOut } from "../../output/save.ts";
import type { Client } from "../../session/client.ts";
import { clock } from "../../../src/base/clock.ts";
import { sinceValue } from "../../session/values.ts";
import { type Taken, verb } from "../../session/verb.ts";

export function addFeedbackCommands(flags: Command, io: Io): void {
  const feedback = flags
    .command("feedback")
    .description("show, export and delete feedback about previews")
    .usage("[show] <flag> | export <flag> | delete <id>").after(`
flags feedback <flag> is short for flags feedback show <flag>; write show if the flag has the name of a command.

Examples:
  formflag flags feedback search -p shop
  formflag flags feedback export search -p shop --format csv -o search.csv
  formflag flags feedback delete --flag search -p shop
`);
  addShowCommand(feedback, io);
  addExportCommand(feedback, io);
  addDeleteCommand(feedback, io);
}

/** The options that select feedback. */
const SELECTION: readonly Taken[] = [
  "project",
  "environment",
  ["--since <time>", "only feedback since this time: ISO 8601, or a time before now such as 7d"],
];

const addShowCommand = verb("show", {
  isDefault: true,
  argument: ["[flag]", "slug of the flag"],
  description: "show the ratings of a preview, their average, and the newest texts",
  options: [...SELECTION],
  help: `
Examples:
  formflag flags feedback search -p shop
  formflag flags feedback search -p shop -e production --since 7d
  formflag flags feedback search -p shop --json
`,
  parse: readSelection,
  run: async ({ client, print, io, suggest }, { project, flag, query }) => {
    const selected = { names: { project, flag }, query };
    const ratings = await client.call(operations.ratings, selected);
    const page = { ...selected, cursor: "before", limit: NEWEST } as const;
    const { items } = await listSome(client, operations.list, page);
    const newest = items.filter(({ description }) => description !== null).slice(0, TEXTS);
    await print({ flag, ...ratings, newest }, describe(flag, ratings, newest, io.outWidth ?? WIDTH));
    if (ratings.count === 0) suggest("No feedback yet.");
  },
});

/** Texts that are shown, and the newest feedback among which they are found. */
const TEXTS = 10;
const NEWEST = 200;
/** Columns of the longest bar. */
const MAX_BAR = 40;

function describe(flag: string, ratings: Ratings, newest: FeedbackDetail[], width: number): string {
  const { count, mean, moods } = ratings;
  const head = shown`${flag}: ${counted(count, "rating")}`;
  if (mean === null) return `${head}\n`;
  const felt = Object.entries(moods).filter(([, times]) => times > 0);
  return [
    `${head}, ${mean.toFixed(2)} on average\n\n`,
    ...barsOf(ratings, width),
    `\n${felt.map(([mood, times]) => shown`${wordsOf(mood)} ${times}`).join(", ")}\n`,
    ...newest.map(
      ({ createdAt, environment, rating, mood, description }) =>
        shown`\n${createdAt}  ${environment}  ${rating}  ${wordsOf(mood)}` +
        `\n  ${printable(description!)}\n`,
    ),
  ].join("");
}

/** A bar for each rating, the best first; one that was given has at least one column. */
function barsOf({ ratings }: Ratings, width: number): string[] {
  const most = Math.max(...Object.values(ratings));
  const columns = Math.max(1, Math.min(MAX_BAR, width - 4 - String(most).length));
  return Object.entries(ratings)
    .toReversed()
    .map(([rating, times]) => {
      const bar = "█".repeat(times === 0 ? 0 : Math.max(1, Math.round((times / most) * columns)));
      return shown`${rating}  ${bar}${bar === "" ? "" : " "}${times}\n`;
    });
}

/** `VERY_SAD` as `very sad`. */
function wordsOf(mood: string): string {
  return mood.toLowerCase().replaceAll("_", " ");
}

const addDeleteCommand = verb("delete", {
  argument: ["[id]", "id of one feedback"],
  description: "delete one entry of feedback, or all feedback about a flag",
  options: ["project", new Option("--flag <flag>", "delete all feedback about this flag"), "environment"],
  help: `
With --flag, -e limits the deletion to one environment. Deleting a flag deletes its feedback too.

Examples:
  formflag flags feedback delete 01a1fc49-92a7-75da-ab11-1c9958800353 -p shop
  formflag flags feedback delete --flag search -p shop -e develop
`,
  parse: async (input, given) => {
    const { flag, environment } = input.options as { flag?: string; environment?: string };
    if (given !== undefined && flag !== undefined)
      throw usage(
        "an id and --flag exclude each other",
        "give the id of one feedback, or --flag for all of a flag",
      );
    if (flag !== undefined) return { project: await input.project(), flag, environment };
    return { id: await input.need(given, "id"), project: await input.project() };
  },
  run: async ({ client, confirmDelete, report }, values) => {
    const { project } = values;
    if ("id" in values) {
      const { id } = values;
      await confirmDelete("feedback", id);
      await client.call(operations.delete, { names: { project, feedback: id } });
      return report({ id, result: "deleted" }, shown`deleted feedback ${id}\n`);
    }
    const { flag, environment } = values;
    await confirmDelete(
      "all feedback about flag",
      flag,
      environment === undefined ? "" : ` in ${environment}`,
    );
    const names = { project, flag };
    const { deleted } = await client.call(operations.deleteAll, { names, query: { environment } });
    await report(
      { flag, deleted, result: "deleted" },
      shown`deleted ${deleted} feedback about flag ${flag}\n`,
    );
  },
});

const FORMATS = ["jsonl", "csv"] as const;

export const addExportCommand = verb("export", {
  argument: ["[flag]", "slug of the flag"],
  description: "write the feedback about a preview, newest first",
  options: [
    ...SELECTION,
    new Option(
      "--format <format>",
      "JSON lines or CSV; default: according to the name of the file, or jsonl",
    ).choices(FORMATS),
    ["-o, --output <file>", "output file, or - for standard output", "-"],
  ],
  help: `
In CSV, a text that a spreadsheet would run as a formula begins with '. JSONL keeps every text unchanged.

Examples:
  formflag flags feedback export search -p shop > search.jsonl
  formflag flags feedback export search -p shop -o search.csv
`,
  parse: async (input, given) => {
    const { format, output } = input.options as { format?: (typeof FORMATS)[number]; output: string };
    const named = exportFormat(output, FORMATS, format) ?? "jsonl";
    return { selected: await readSelection(input, given), format: named, output };
  },
  run: async ({ client, io }, { selected, format, output }) => {
    const write = format === "csv" ? csvLine : jsonLine;
    const head = format === "csv" ? `${COLUMNS.join(",")}\r\n` : "";
    const pages = pagesOf(client, selected);
    // Read before the file is opened: an error leaves no file.
    let page = await pages.next();
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(head)),
      async pull(controller) {
        if (page.done) return controller.close();
        controller.enqueue(encoder.encode(page.value.map(write).join("")));
        page = await pages.next();
      },
    });
    if (output === "-") await writeOut(io, { body });
    else await saveTo(output, { body });
  },
});

async function* pagesOf(
  client: Client,
  { project, flag, query }: Selected,
): AsyncGenerator<FeedbackDetail[], undefined> {
  let before: { before?: string } = {};
  for (;;) {
    const page = { query: { ...query, ...before }, cursor: "before", limit: MAX_PAGE } as const;
    const { items, next } = await listSome(client, operations.list, { names: { project, flag }, ...page });
    yield items;
    // A repeated cursor is that of a faulty server, which would keep the command going.
    if (next === null || items.length === 0 || before.before === String(next)) return;
    before = { before: String(next) };
  }
}

const COLUMNS = [
  "id",
  "createdAt",
  "environment",
  "mood",
  "rating",
  "description",
  "metadata",
] as const satisfies (keyof FeedbackDetail)[];

function csvLine(feedback: FeedbackDetail): string {
  return `${COLUMNS.map((column) => csvCell(feedback[column])).join(",")}\r\n`;
}

function jsonLine(feedback: FeedbackDetail): string {
  return `${JSON.stringify(feedback)}\n`;
}

/** A stored feedback as the admin API shows it. */
export type FeedbackDetail = ReturnType<typeof viewFeedback>;

/** A flag of a project, and which feedback about it: the parameters `environment` and `since` of a request. */
export type Selected = { project: string; flag: string; query: Record<string, string> };

/** The feedback that was selected; without an environment, that of all. */
export async function readSelection(input: Input, given: string | undefined): Promise<Selected> {
  const flag = await input.need(given, "flag");
  const { environment, since } = input.options as { environment?: string; since?: string };
  const query: Record<string, string> = {
    ...(environment === undefined ? {} : { environment }),
    ...(since === undefined ? {} : { since: sinceValue(since, "--since", clock.now()) }),
  };
  return { project: await input.project(), flag, query };
}
