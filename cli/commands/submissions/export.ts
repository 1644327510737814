import { type Command, Option } from "commander";
import { EXPORT_FORMATS } from "../../../src/forms/transfer/export-format.ts";
import { exportFormat } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { checkFieldFilter, fieldFilterOption, filterIn, filterOptions } from "./filter.ts";
import { folderOptions } from "./folder.ts";
import { saveDownload } from "./save-download.ts";

export function addExportCommand(submissions: Command, io: Io): void {
  const command = submissions
    .command("export")
    .argument("[form]", "slug or key of the form")
    .description("write every submission of a form but spam, newest first")
    .addOption(
      new Option(
        "--format <format>",
        "a JSON object a line, CSV, a JSON array, or a zip with the files too; default: by the name of the file, or jsonl",
      ).choices(EXPORT_FORMATS),
    )
    .option("-o, --output <file>", "where to; - for standard output", "-")
    .addHelpText(
      "after",
      "\nIn CSV a text that a spreadsheet would run as a formula begins with ', also behind a semicolon, tab or line end inside\na cell; fields past 1,000 share the column otherFields, as JSON. JSONL and JSON keep every text as it\ncame. A zip has submissions.jsonl, submissions.csv and the files.\n\nExamples:\n  formflag submissions export contact > contact.jsonl\n  formflag submissions export contact -o contact.csv\n  formflag submissions export contact -o contact.zip\n  formflag submissions export contact --since 2027-01-01 --until 2027-02-01 -o january.jsonl\n",
    )
    .action(action(io, parse, run));
  for (const option of [...folderOptions(), ...filterOptions(), fieldFilterOption()])
    command.addOption(option);
}

type Values = { form: string; format: string; query: [name: string, value: string][]; output: string };

async function parse(input: Input, name?: string): Promise<Values> {
  const form = await input.need(name, "form");
  const { format: given, output } = input.options as { format?: string; output: string };
  const format = given ?? exportFormat(output, EXPORT_FORMATS) ?? "jsonl";
  checkFieldFilter(input.options);
  const { query } = filterIn(input.options, Date.now());
  return { form, format, query: [["format", format], ...query], output };
}

async function run(session: Session, { form, format, query, output }: Values): Promise<void> {
  const url = path`/forms/${form}/submissions/export`;
  const answer = await session.client.open(`${url}?${new URLSearchParams(query).toString()}`);
  const total = answer.headers.get("x-total-count");
  // A quoted cell may hold line ends too: good enough for a progress bar.
  const count = (bytes: Uint8Array) => bytes.filter((byte) => byte === 10).length;
  const hasRows = format !== "zip" && total !== null;
  await saveDownload(session, answer, output, hasRows ? { total: Number(total), count } : null);
}
