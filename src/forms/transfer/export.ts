import { recordEvent } from "../../access/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { boundOfArrivals } from "../inbox/arrival-bound.ts";
import type { Form } from "../form.ts";
import { addFields, createColumns, csvLines } from "./export-csv.ts";
import type { CsvStyle, ExportFormat } from "./export-format.ts";
import { jsonArray, jsonLines } from "./export-json.ts";
import type { FormsApp } from "../store.ts";
import { type SubmissionFilter, isSelective } from "../inbox/filters.ts";
import { eachSubmission } from "../inbox/submission-list.ts";

/** Submissions of one step, which takes a millisecond or two: CSV parses each, and a query costs as much as 50 lines. */
const STEP: Record<ExportFormat, number> = { jsonl: 250, json: 250, csv: 100, xlsx: 100, zip: 100 };

/**
 * Begins an export, which is in the audit log before its first byte: see {@link exportSubmissions}. Throws `forbidden`,
 * `invalid` for a style of a format that has no CSV, and `unavailable` where it cannot be recorded.
 */
export async function beginExport(
  app: FormsApp,
  caller: Caller,
  form: Form,
  format: ExportFormat,
  filter: SubmissionFilter,
  style: CsvStyle = {},
): Promise<AsyncGenerator<string | Uint8Array>> {
  const { project } = form;
  if ((style.bom || style.delimiter !== undefined) && format !== "csv" && format !== "zip")
    throw new AppError("invalid", `a byte order mark and a delimiter are for csv and zip, not for ${format}`);
  requireScope(caller, "forms:read", { project });
  const details = { format, states: filter.states, ...(isSelective(filter) && { filtered: true }) };
  await recordEvent(app, caller, {
    action: "submissions.export",
    project,
    object: form.slug,
    details,
  });
  return exportSubmissions(app, form, format, filter, style);
}

/**
 * The submissions of a form that a filter selects, newest first, in a format and in chunks of a bounded size. Submissions
 * that arrive after the first chunk was read are left out, and so are those deleted before their turn. Throws
 * `unsupported` where a file of a zip is missing or damaged, and for what no workbook can hold.
 */
export async function* exportSubmissions(
  app: FormsApp,
  form: Form,
  format: ExportFormat,
  filter: SubmissionFilter,
  style: CsvStyle = {},
): AsyncGenerator<string | Uint8Array> {
  const bound = await boundOfArrivals(app);
  const walk = () => eachSubmission(app, form, filter, { bound, size: STEP[format] });
  if (format === "jsonl") yield* jsonLines(walk());
  else if (format === "json") yield* jsonArray(walk());
  else if (format === "csv" || format === "xlsx") {
    const columns = createColumns(filter.states);
    for await (const page of walk()) addFields(columns, page);
    if (format === "csv") yield* csvLines(columns, walk(), style);
    else yield* (await import("./export-xlsx.ts")).xlsxExport(form, columns, walk());
  } else {
    const { zipExport } = await import("./export-zip.ts");
    yield* zipExport(app, filter, walk, style);
  }
}
