import { Option } from "commander";
import { IMPORT_FORMATS, type ImportFormat } from "../../../src/forms/transfer/import-lines.ts";
import type { ImportResult } from "../../../src/forms/store.ts";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { forms } from "../../../src/operations/forms.ts";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import { progressBar } from "../../output/progress.ts";
import { usage } from "../../session/usage.ts";
import { type Batch, type Doubts, type Source, batchesOf, openSource } from "./import-source.ts";
import { verb } from "../../session/verb.ts";

export const addImportCommand = verb("import", {
  argument: ["[form]", "slug or key of the form"],
  second: ["[file]", "JSON lines or CSV; - for standard input"],
  description: "store submissions from a file, and skip submissions that are stored already",
  options: [
    "project of forms",
    new Option(
      "--format <format>",
      "default: according to the name of the file, or its first character",
    ).choices(IMPORT_FORMATS),
  ],
  help: `
Reads JSONL or CSV from export, with its ids and times, or other rows of fields with the time in createdAt or Date, or in
a column that form services call so, such as Timestamp or Submitted At.
Files are not imported, and nothing is delivered. CSV may have semicolons or tabs instead of commas. A wrong line ends
the import. If you repeat the import, it skips the submissions that are stored.

Examples:
  formflag submissions import contact contact.jsonl
  formflag submissions import contact contact.csv
  formflag submissions export contact | formflag submissions import contact - --server https://forms.example.com
`,
  parse: async (input, given, named) => {
    const form = await input.need(given, "form");
    if (named === undefined)
      throw /\.(jsonl?|csv)$/i.test(form)
        ? usage("say for which form", `the form comes first: formflag submissions import <form> ${form}`)
        : usage("say which file", `formflag submissions import ${form} FILE`);
    if (/\.(jsonl?|csv)$/i.test(form))
      throw usage(
        `${form} is not the name of a form`,
        `the form comes first: formflag submissions import ${named} ${form}`,
      );
    return {
      form: await input.form(form),
      file: named,
      format: (input.options["format"] as ImportFormat | undefined) ?? null,
    };
  },
  run: async (session, { form, file, format }) => {
    const { client, io, report, note } = session;
    const source = await openSource(file, format, io);
    const { key } = await client.call(forms.get, { names: { form } });
    const line = session.progress();
    const sum: ImportResult = { imported: 0, skipped: 0, elsewhere: 0 };
    let hasNew = false;
    const doubts: Doubts = { time: null, alike: 0 };
    try {
      for await (const batch of batchesOf(source, key, doubts)) {
        hasNew ||= batch.hasNew;
        const { imported, skipped, elsewhere } = await client
          .call(operations.import, { names: { form: key }, body: batch.text })
          .catch((error: unknown) => Promise.reject(inFile(error, batch)));
        sum.imported += imported;
        sum.skipped += skipped;
        sum.elsewhere += elsewhere;
        line.draw(progressOf(source, sum));
      }
    } catch (error) {
      line.clear();
      throw interrupted(error, sum, hasNew);
    }
    line.clear();
    if (source.isUnsure && sum.imported + sum.skipped === 0)
      throw usage(
        `${file === "-" ? "standard input" : file} holds no submissions`,
        "JSON lines have an object a line; CSV begins with a line of names, and has a line for each submission",
      );
    const done = `imported ${sum.imported}, skipped ${sum.skipped}\n`;
    await report(sum, done);
    if (sum.elsewhere > 0)
      note(`${sum.elsewhere} of those skipped are submissions of other forms, which keep them\n`);
    if (doubts.alike > 0)
      note(
        `${doubts.alike} ${doubts.alike === 1 ? "row says" : "rows say"} the same as an earlier one: each is stored\n`,
      );
    if (hasNew) note(`${withoutTimes(doubts)}, and the same import again stores them once more\n`);
  },
});

function withoutTimes({ time }: Doubts): string {
  if (time === null) return "rows without a time in createdAt or Date have the time of the import";
  const { name, text } = time;
  return `${JSON.stringify(text.slice(0, 60))} in ${JSON.stringify(name)} cannot be read as a time (such as 2027-01-31T12:00:00Z): it is stored as a field, and such rows have the time of the import`;
}

function progressOf({ size, done }: Source, { imported, skipped }: ImportResult): string {
  const label = `${imported + skipped} submissions`;
  return size === null ? `${formatBytes(done())}  ${label}` : progressBar(done(), size, label);
}

/** An error in a batch, with its lines in the file: the server knows only the lines of the batch. */
function inFile(error: unknown, { first, last }: Batch): unknown {
  if (!(error instanceof AppError) || !["invalid", "too_large"].includes(error.code)) return error;
  return new AppError(error.code, `lines ${first} to ${last}: ${error.message}`, {
    hint: error.hint ?? undefined,
  });
}

/** The error that ended an import, with what was stored before. */
function interrupted(error: unknown, { imported, skipped }: ImportResult, hasNew: boolean): unknown {
  if (!(error instanceof AppError)) return error;
  const before =
    imported + skipped === 0 ? "nothing was imported" : `imported ${imported}, skipped ${skipped} before`;
  const again = hasNew
    ? "rows without an id and a time would be stored once more: import only the rest"
    : "the same import again skips what is stored";
  const hint = [error.hint, imported > 0 ? again : null].filter(Boolean).join("; ");
  return new AppError(error.code, `${error.message} (${before})`, {
    reason: error.reason ?? undefined,
    hint: hint === "" ? undefined : hint,
    cause: error,
  });
}
