import { type Command, Option } from "commander";
import { MAX_PAGE } from "../../../../src/base/pages.ts";
import { csvCell } from "../../../../src/forms/transfer/csv.ts";
import { feedback as operations } from "../../../../src/operations/feedback.ts";
import { exportFormat, saveTo, writeOut } from "../../../output/save.ts";
import type { Io } from "../../../output/terminal.ts";
import { action } from "../../../session/action.ts";
import type { Client } from "../../../session/client.ts";
import type { Input } from "../../../session/input.ts";
import { listSome } from "../../../session/pages.ts";
import type { Session } from "../../../session/session.ts";
import { type FeedbackDetail, type Selected, readSelection, withSelection } from "./place.ts";

const FORMATS = ["jsonl", "csv"] as const;

export function addExportCommand(feedback: Command, io: Io): void {
  withSelection(feedback.command("export"))
    .description("write the feedback about a preview, newest first")
    .addOption(
      new Option(
        "--format <format>",
        "JSON lines or CSV; default: according to the name of the file, or jsonl",
      ).choices(FORMATS),
    )
    .option("-o, --output <file>", "output file, or - for standard output", "-")
    .addHelpText(
      "after",
      `
In CSV, a text that a spreadsheet would run as a formula begins with '. JSONL keeps every text unchanged.

Examples:
  formflag flags feedback export search -p shop > search.jsonl
  formflag flags feedback export search -p shop -o search.csv
`,
    )
    .action(action(io, parse, run));
}

type Values = { selected: Selected; format: string; output: string };

async function parse(input: Input, given?: string): Promise<Values> {
  const { format, output } = input.options as { format?: (typeof FORMATS)[number]; output: string };
  const named = exportFormat(output, FORMATS, format) ?? "jsonl";
  return { selected: await readSelection(input, given), format: named, output };
}

async function run({ client, io }: Session, { selected, format, output }: Values): Promise<void> {
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
}

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
