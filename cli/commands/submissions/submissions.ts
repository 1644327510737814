import { type Command, Option } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { fieldOption } from "../../output/field.ts";
import { saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { details, shorten, shown, table } from "../../output/text.ts";
import { type Answer, path } from "../../session/client.ts";
import { listSome } from "../../session/pages.ts";
import { type Session, action } from "../../session/session.ts";
import { countValue, usage } from "../../session/values.ts";

const DEFAULT_LIMIT = "50";

export function addSubmissionCommands(submissions: Command, io: Io): void {
  submissions.addHelpText(
    "after",
    `\nExamples:
  formflag submissions list contact
  formflag submissions get 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions export contact --format csv -o contact.csv
`,
  );

  submissions
    .command("list")
    .alias("ls")
    .argument("[form]", "slug or key of the form")
    .description("list the submissions of a form, newest first")
    .option("--limit <n>", "how many", DEFAULT_LIMIT)
    .option("--before <id>", "only older ones than that submission, for the next page")
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
Where there are more, standard error says how many, and how to go on.

Examples:
  formflag submissions list contact
  formflag submissions list contact --before 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions list contact --limit 1000 --json
`,
    )
    .action(
      action(io, async (session, given) => {
        const form = await session.need(given, "form");
        const { limit, before } = session.options as { limit: string; before?: string };
        const {
          items: all,
          next,
          total,
        } = await listSubmissions(session, form, countValue(limit, "--limit", 1), before);
        const rows = all.map(({ id, createdAt, data, files }) => [
          id,
          createdAt,
          files.length === 0 ? "" : String(files.length),
          shorten(summaryOf(data), 60),
        ]);
        await session.print(all, table(["ID", "RECEIVED", "FILES", "FIELDS"], rows));
        if (next !== null && !session.config.quiet) {
          const count = total === undefined ? "" : shown` of ${total}`;
          const limited = limit === DEFAULT_LIMIT ? "" : shown` --limit ${limit}`;
          const more = shown`formflag submissions list ${form} --before ${next}`;
          io.note(`${all.length}${count} submissions; older ones: ${more}${limited}\n`);
        } else if (all.length === 0) session.suggest("No submissions here.");
        else session.suggest(`${total ?? all.length} ${total === 1 ? "submission" : "submissions"}`);
      }),
    );

  submissions
    .command("get")
    .argument("[id]", "id of the submission")
    .description("show a submission")
    .addOption(fieldOption())
    .action(
      action(io, async (session, given) => {
        const id = await session.need(given, "id");
        const submission = await session.client.call<Submission>("GET", path`/submissions/${id}`);
        await session.print(submission, describeSubmission(submission));
      }),
    );

  submissions
    .command("download")
    .argument("[id]", "id of the submission")
    .argument("[file]", "number of the file, from 1, or its name where that is unique")
    .description("save a file of a submission")
    .option("-o, --output <file>", "where to; - for standard output", "-")
    .addHelpText(
      "after",
      "\nExample:\n  formflag submissions download 01a1fc49-92a7-75da-ab11-1c9958800353 1 -o photo.jpg\n",
    )
    .action(
      action(io, async (session, given, file) => {
        const id = await session.need(given, "id");
        if (file === undefined)
          throw usage("say which file", `formflag submissions download ${id} 1 -o FILE`);
        const answer = await session.client.open(path`/submissions/${id}/files/${file}`);
        const size = Number(answer.headers.get("content-length"));
        await writeBody(session, answer, { total: size, count: (bytes) => bytes.byteLength });
      }),
    );

  submissions
    .command("delete")
    .argument("[id]", "id of the submission")
    .description("delete a submission and its files")
    .action(
      action(io, async (session, given) => {
        const id = await session.need(given, "id");
        await session.client.call("GET", path`/submissions/${id}`);
        await session.confirmDelete("submission", id, " and its files");
        await session.client.call("DELETE", path`/submissions/${id}`);
        await session.report({ id, result: "deleted" }, shown`deleted submission ${id}\n`);
      }),
    );

  submissions
    .command("export")
    .argument("[form]", "slug or key of the form")
    .description("write every submission of a form, newest first")
    .addOption(
      new Option("--format <format>", "one JSON object a line, or CSV")
        .choices(["jsonl", "csv"])
        .default("jsonl"),
    )
    .option("-o, --output <file>", "where to; - for standard output", "-")
    .addHelpText(
      "after",
      "\nIn CSV a text that a spreadsheet would run as a formula begins with ', also behind a semicolon, tab or line end inside\na cell; fields past 1,000 share the column otherFields, as JSON. JSONL keeps every text as it came.\n\nExamples:\n  formflag submissions export contact > contact.jsonl\n  formflag submissions export contact --format csv -o contact.csv\n",
    )
    .action(
      action(io, async (session, given) => {
        const form = await session.need(given, "form");
        const { format } = session.options as { format: string };
        const answer = await session.client.open(path`/forms/${form}/submissions/export?format=` + format);
        const total = Number(answer.headers.get("x-total-count"));
        // A quoted cell may hold line ends too: good enough for a progress bar.
        await writeBody(session, answer, {
          total,
          count: (bytes) => bytes.filter((byte) => byte === 10).length,
        });
      }),
    );
}

function listSubmissions(
  { client }: Session,
  form: string,
  limit: number,
  before?: string,
): ReturnType<typeof listSome<Submission>> {
  const query: Record<string, string> = before === undefined ? {} : { before };
  const url = path`/forms/${form}/submissions`;
  return listSome<Submission>(client, url, "submissions", {
    query,
    cursor: "before",
    limit,
    maxPage: MAX_PAGE,
  });
}

async function writeBody(
  { io, config, options }: Session,
  answer: Answer,
  progress: { total: number; count: (bytes: Uint8Array) => number },
): Promise<void> {
  const output = String(options["output"]);
  if (output === "-") await writeOut(io, answer);
  else
    await saveTo(output, answer, {
      ...progress,
      show: io.errIsTerminal && !config.quiet && !config.json,
      io,
    });
}

function describeSubmission({ id, form, createdAt, data, files }: Submission): string {
  const about = details([
    ["submission", id],
    ["form", form],
    ["received", createdAt],
  ]);
  const fields = table(
    ["FIELD", "VALUE"],
    Object.entries(data).flatMap(([name, value]) =>
      linesOf(textOf(value)).map((line, index) => [index === 0 ? name : "", line]),
    ),
  );
  const rows = files.map(({ field, name, type, size, sha256 }, index) => [
    String(index + 1),
    field,
    name,
    type,
    formatBytes(size),
    sha256.slice(0, 12),
  ]);
  const fileTable =
    files.length > 0 ? `\n${table(["FILE", "FIELD", "NAME", "TYPE", "SIZE", "SHA256"], rows)}` : "";
  return `${about}\n${fields}${fileTable}`;
}

function summaryOf(data: Record<string, unknown>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}=${linesOf(textOf(value)).join(" ")}`)
    .join("  ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As a person wrote them; browsers send CR LF. */
function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
