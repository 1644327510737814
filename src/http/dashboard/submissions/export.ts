import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { EXPORT_FORMATS, EXPORT_TYPES } from "../../../forms/transfer/export-format.ts";
import { beginExport } from "../../../forms/transfer/export.ts";
import { getForm } from "../../../forms/forms.ts";
import { type SubmissionFilter, readFilter } from "../../../forms/inbox/filters.ts";
import { NOT_SPAM, SUBMISSION_STATES } from "../../../forms/submission-state.ts";
import { attachment } from "../../attachment.ts";
import { streamOf } from "../../exports.ts";
import type { Report } from "../../errors.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { filterOf, folderIn, readFilters } from "../inbox/query.ts";

/**
 * The submissions of a form as a file. The address takes the filters of the list, also by the names of the admin API;
 * without a folder it is everything but spam. Throws `invalid`, `not_found`.
 */
export async function answerExport(
  c: DashboardContext,
  app: App,
  { slug, timeZone, report }: { slug: string; timeZone: string; report: Report },
): Promise<Response> {
  const form = await getForm(app, c.get("caller"), slug);
  const name = c.req.query("format") ?? "jsonl";
  const format = EXPORT_FORMATS.find((each) => each === name);
  if (!format) throw new AppError("invalid", `a format is one of ${EXPORT_FORMATS.join(", ")}`);
  const chunks = await beginExport(app, c.get("caller"), form, format, exportFilter(c, timeZone));
  const all = format === "csv" ? withMark(chunks) : chunks;
  return sendFile(c, `${form.slug}.${format}`, EXPORT_TYPES[format], all, report);
}

/** A text with the byte order mark by which a spreadsheet recognises UTF-8. */
async function* withMark(chunks: AsyncGenerator<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield "\uFEFF";
  yield* chunks;
}

/** A file that is made while it is sent. */
export function sendFile(
  c: DashboardContext,
  name: string,
  type: string,
  chunks: AsyncGenerator<string | Uint8Array>,
  report: Report,
): Response {
  const stream = streamOf(chunks, (error) => report.error(error, c.req.raw), c.get("caller"));
  return c.body(stream, 200, attachment(name, type));
}

function exportFilter(c: DashboardContext, timeZone: string): SubmissionFilter {
  const who = c.get("caller").name;
  const given = (...names: string[]) => names.map((name) => c.req.query(name)).find(Boolean) ?? "";
  const folder = given("folder", "state");
  const filter = filterOf(
    { folder: "inbox", ...readFilters(({ parameter, name }) => given(parameter, name)), flag: "" },
    timeZone,
    who,
  );
  const { fields, flags } = readFilter(
    {
      field: c.req.queries("field") ?? [],
      flag: c.req.queries("flag")?.filter((text) => text !== ""),
    },
    who,
  );
  const states = folder === "" ? NOT_SPAM : folder === "all" ? SUBMISSION_STATES : [folderIn(folder)];
  return { ...filter, states, fields, flags };
}
