import type { FormsApp } from "./store.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import { csvCell } from "./csv.ts";
import type { Form } from "./form.ts";
import { MAX_CSV_FIELDS } from "./limits.ts";
import type { SubmissionFilter } from "./submission-filter.ts";
import { eachSubmission } from "./submission-list.ts";

/** The submissions of a form that a filter selects as JSON lines, newest first, a page at a time. */
export async function* exportJsonl(
  app: FormsApp,
  form: Form,
  filter: SubmissionFilter,
): AsyncGenerator<string> {
  for await (const page of eachSubmission(app, form, filter)) {
    yield page.map((submission) => `${JSON.stringify(submission)}\n`).join("");
    await yieldToEventLoop();
  }
}

/**
 * The submissions of a form that a filter selects as CSV, newest first: `id,createdAt`, `state,spam` where spam is among them,
 * the fields in first-seen order, `files`. Fields past
 * `MAX_CSV_FIELDS` share the column `otherFields`, as a JSON object. The submissions are read twice, because the header
 * names every field.
 */
export async function* exportCsv(
  app: FormsApp,
  form: Form,
  filter: SubmissionFilter,
): AsyncGenerator<string> {
  const folders = filter.states.includes("spam") ? ["state", "spam"] : [];
  const fields = new Set<string>();
  let hasOthers = false;
  for await (const page of eachSubmission(app, form, filter)) {
    for (const field of page.flatMap(({ data }) => Object.keys(data))) {
      if (fields.size < MAX_CSV_FIELDS) fields.add(field);
      else hasOthers ||= !fields.has(field);
    }
    await yieldToEventLoop();
  }
  const others = hasOthers ? ["otherFields"] : [];
  yield lineOf(["id", "createdAt", ...folders, ...[...fields].map(csvCell), ...others, "files"]);
  for await (const page of eachSubmission(app, form, filter)) {
    const lines = page.flatMap(({ id, createdAt, state, spam, data, files }) => {
      const rest = Object.entries(data).filter(([field]) => !fields.has(field));
      // A submission that arrived after the header was written has a field without a column.
      if (rest.length > 0 && !hasOthers) return [];
      const values = [...fields].map((field) => (Object.hasOwn(data, field) ? data[field] : undefined));
      const other = rest.length > 0 ? Object.fromEntries(rest) : undefined;
      const names = files.length > 0 ? files.map(({ name }) => name).join("; ") : undefined;
      const cells = [...values, ...(hasOthers ? [other] : []), names];
      const folder = folders.length > 0 ? [state, csvCell(spam)] : [];
      return [lineOf([id, createdAt, ...folder, ...cells.map(csvCell)])];
    });
    yield lines.join("");
    await yieldToEventLoop();
  }
}

function lineOf(cells: string[]): string {
  return `${cells.join(",")}\r\n`;
}
