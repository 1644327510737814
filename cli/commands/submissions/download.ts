import { clock } from "../../../src/base/clock.ts";
import { Option } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import {
  CSV_DELIMITERS,
  EXPORT_FORMATS,
  type ExportFormat,
} from "../../../src/forms/transfer/export-format.ts";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import { progressBar } from "../../output/progress.ts";
import { exportFormat, saveTo, writeOut } from "../../output/save.ts";
import type { Saved } from "../../session/client.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { earlierWhereOption, filterIn, filterOptions, folderOptions, parametersOf } from "./filter.ts";
import { verb } from "../../session/verb.ts";

export const addDownloadCommand = verb("download", {
  argument: ["[id]", "id of the submission"],
  second: ["[file]", "number of the file, from 1, or its name if that is unique"],
  description: "save a file of a submission",
  options: [["-o, --output <file>", "output file, or - for standard output", "-"]],
  help: "\nExample:\n  formflag submissions download 01a1fc49-92a7-75da-ab11-1c9958800353 1 -o photo.jpg\n",
  parse: async (input, given, file) => {
    const id = await input.need(given, "id");
    if (file === undefined) throw usage("say which file", `formflag submissions download ${id} 1 -o FILE`);
    return { id, file, output: String(input.options["output"]) };
  },
  run: async (session, { id, file, output }) => {
    const answer = await session.client.open(operations.file, { names: { id, file } });
    const total = answer.size ?? 0;
    await saveDownload(session, answer, output, { total, count: (bytes) => bytes.byteLength });
  },
});

export const addExportCommand = verb("export", {
  argument: ["[form]", "slug or key of the form"],
  description: "write every submission of a form except spam, newest first",
  options: [
    "project of forms",
    new Option(
      "--format <format>",
      "JSON lines, CSV, a workbook for Excel, a JSON array, or a zip that includes the files; default: according to the name of the file, or jsonl",
    ).choices(EXPORT_FORMATS),
    ["-o, --output <file>", "output file, or - for standard output", "-"],
    ["--bom", "begin CSV with a byte order mark, by which Excel recognizes UTF-8"],
    ["--delimiter <character>", "separate the cells of CSV by ; or tab (default: a comma)"],
    ...folderOptions(),
    ...filterOptions(),
    earlierWhereOption(),
  ],
  help: "\nIn CSV, a text that a spreadsheet would run as a formula begins with ', also after a semicolon, tab or line end inside\na cell, and after a comma with --delimiter. Fields beyond the first 1,000 are in the column otherFields, as JSON.\nJSONL and JSON keep every text unchanged.\nA workbook has the columns of CSV; its cells are cut after 32,767 characters, and numbers of more than 15 digits are texts.\nA zip has submissions.jsonl, submissions.csv and the files.\n\nExamples:\n  formflag submissions export contact > contact.jsonl\n  formflag submissions export contact -o contact.csv\n  formflag submissions export contact -o contact.csv --bom --delimiter ';'\n  formflag submissions export contact -o contact.xlsx\n  formflag submissions export contact -o contact.zip\n  formflag submissions export contact --since 2027-01-01 --until 2027-02-01 -o january.jsonl\n",
  parse: async (input, name) => {
    const form = await input.form(name);
    const { format: given, output, bom, delimiter } = input.options as ExportOptions;
    const style = {
      ...(bom && { bom: "true" as const }),
      ...(delimiter !== undefined && { delimiter: delimiterOf(delimiter) }),
    };
    const format =
      exportFormat(output, EXPORT_FORMATS, given) ?? (Object.keys(style).length > 0 ? "csv" : "jsonl");
    const { query } = filterIn(input.options, clock.now());
    return { form, format, query: { format, ...style, ...parametersOf(query) }, output };
  },
  run: async (session, { form, format, query, output }) => {
    const answer = await session.client.open(operations.export, { names: { form }, query });
    // A quoted cell may hold line ends too: good enough for a progress bar.
    const count = (bytes: Uint8Array) => bytes.filter((byte) => byte === 10).length;
    const total = format === "zip" || format === "xlsx" ? null : answer.rows;
    await saveDownload(session, answer, output, total === null ? null : { total, count });
  },
});

type ExportOptions = { format?: ExportFormat; output: string; bom?: true; delimiter?: string };

const DELIMITERS = new Map<string, (typeof CSV_DELIMITERS)[number]>([
  ...CSV_DELIMITERS.map((each) => [each, each] as const),
  ["comma", ","],
  ["semicolon", ";"],
  ["tab", "\t"],
  ["\\t", "\t"],
]);

function delimiterOf(text: string): (typeof CSV_DELIMITERS)[number] {
  const delimiter = DELIMITERS.get(text.toLowerCase());
  if (delimiter === undefined)
    throw usage(
      `--delimiter ${text} is not a comma, a semicolon or a tab`,
      "write --delimiter ';' or --delimiter tab",
    );
  return delimiter;
}

/** The progress of a download: `count` of its chunks adds up to `total`. */
type Size = { total: number; count: (bytes: Uint8Array) => number };

/**
 * Writes a download to a file, with a progress bar, or to standard output if `output` is `-`. Without a size, the bytes so
 * far are shown.
 */
async function saveDownload(
  { io, progress }: Session,
  answer: Saved,
  output: string,
  size: Size | null,
): Promise<void> {
  if (output === "-") {
    await writeOut(io, answer);
    return;
  }
  const line = progress();
  let done = 0;
  await saveTo(output, answer, (chunk) => {
    done += size ? size.count(chunk) : chunk.byteLength;
    line.draw(size ? progressBar(done, size.total, output) : `${formatBytes(done)}  ${output}`);
  });
  line.draw(progressBar(1, 1, `${output} saved`));
  line.keep();
}
