import type { App } from "./app.ts";
import { csvLine } from "./csv.ts";
import { AppError } from "./errors.ts";
import type { Form } from "./forms.ts";
import { MAX_CSV_FIELDS } from "./limits.ts";
import { eachSubmission, type Submission } from "./submissions.ts";

/** The submissions of a form as JSON lines, newest first, a page at a time. */
export async function* exportJsonl(app: App, form: Form): AsyncGenerator<string> {
  for await (const page of eachSubmission(app, form)) {
    yield page.map((submission) => `${JSON.stringify(submission)}\n`).join("");
    await othersFirst();
  }
}

/**
 * The submissions of a form as CSV, newest first: `id,createdAt`, the fields in first-seen order, `files`. It reads
 * them twice, because the head has to name every field. Throws `too_large` for more fields than a table can have
 * columns.
 */
export async function exportCsv(app: App, form: Form): Promise<AsyncGenerator<string>> {
  const fields = new Set<string>();
  for await (const page of eachSubmission(app, form)) {
    for (const { data } of page) for (const field of Object.keys(data)) fields.add(field);
    if (fields.size > MAX_CSV_FIELDS) {
      throw new AppError("too_large", `the submissions have more than ${MAX_CSV_FIELDS} different fields`, {
        hint: "export them as jsonl",
      });
    }
    await othersFirst();
  }
  return csvOf(app, form, [...fields]);
}

async function* csvOf(app: App, form: Form, fields: string[]): AsyncGenerator<string> {
  const known = new Set(fields);
  yield `${csvLine(["id", "createdAt", ...fields, "files"])}\r\n`;
  const lineOf = ({ id, createdAt, data, files }: Submission) => {
    const values = fields.map((field) => (Object.hasOwn(data, field) ? data[field] : undefined));
    return `${csvLine([id, createdAt, ...values, files.map((file) => file.name).join("; ")])}\r\n`;
  };
  for await (const page of eachSubmission(app, form)) {
    // One with another field came after the head was made.
    const lines = page.filter(({ data }) => Object.keys(data).every((field) => known.has(field))).map(lineOf);
    yield lines.join("");
    await othersFirst();
  }
}

/** Lets what else waits on this thread go first: an export may be long, and flags are read meanwhile. */
export function othersFirst(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
