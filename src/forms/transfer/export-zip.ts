import { AppError } from "../../base/errors.ts";
import { shortFileName } from "../../base/file-name.ts";
import { blobKey } from "../../blobs/key.ts";
import { addFields, createColumns, csvLines } from "./export-csv.ts";
import type { CsvStyle } from "./export-format.ts";
import { jsonLines } from "./export-json.ts";
import type { FormsApp } from "../store.ts";
import type { SubmissionFilter } from "../inbox/filters.ts";
import type { FileInfo, RawSubmission } from "../submission.ts";
import { type ZipEntry, zipOf } from "./zip.ts";

/**
 * Submissions as a zip archive: `submissions.jsonl`, `submissions.csv`, and each file as `files/<id>/<n>-<name>`. `walk` reads
 * the submissions from the newest on, each time it is called. Exports of the same submissions have the same bytes. Throws
 * `unsupported` if a file is missing or damaged.
 */
export function zipExport(
  app: FormsApp,
  { states }: SubmissionFilter,
  walk: () => AsyncIterable<RawSubmission[]>,
  style: CsvStyle = {},
): AsyncGenerator<Uint8Array> {
  const entries = async function* (): AsyncGenerator<ZipEntry> {
    const columns = createColumns(states);
    const modifiedAt = await newestAt(walk());
    const lines = jsonLines(walk(), (page) => addFields(columns, page));
    yield { name: "submissions.jsonl", modifiedAt, bytes: lines };
    yield { name: "submissions.csv", modifiedAt, bytes: csvLines(columns, walk(), style) };
    for await (const page of walk()) for (const submission of page) yield* filesOf(app, submission);
  };
  return zipOf(entries());
}

/** When the newest submission was stored, in milliseconds since 1970; 0 without one. */
async function newestAt(pages: AsyncIterable<RawSubmission[]>): Promise<number> {
  for await (const [newest] of pages) if (newest) return Date.parse(newest.createdAt);
  return 0;
}

async function* filesOf(app: FormsApp, { id, createdAt, files }: RawSubmission): AsyncGenerator<ZipEntry> {
  for (const [index, file] of files.entries()) {
    const position = index + 1;
    const opened = await openFile(app, id, position, file);
    if (!opened) return;
    try {
      const name = `files/${id}/${position}-${safeName(file.name)}`;
      yield { name, modifiedAt: Date.parse(createdAt), bytes: opened.chunks };
    } finally {
      await opened.close();
    }
  }
}

/**
 * Opens a file; null if its submission has been deleted. Throws `unsupported` if the file is missing; reading
 * throws it for a file of another size.
 */
async function openFile(app: FormsApp, id: string, position: number, file: FileInfo) {
  const key = blobKey(id, position);
  try {
    const reader = (await app.blobs.open(key)).getReader();
    // From the first read on, the bytes stay even when the file is deleted.
    const first = await reader.read();
    const chunks = async function* () {
      let size = 0;
      for (let step = first; !step.done; step = await reader.read()) {
        size += step.value.byteLength;
        yield step.value;
      }
      if (size !== file.size) throw damaged(key, `has ${size} bytes instead of ${file.size}`);
    };
    return { chunks: chunks(), close: () => reader.cancel().catch(() => {}) };
  } catch (error) {
    if (!(await app.store.submissions.find(id))) return null;
    if (error instanceof AppError && error.code === "not_found") throw damaged(key, "is missing");
    throw error;
  }
}

function damaged(key: string, what: string): AppError {
  return new AppError("unsupported", `the file ${key} ${what}`, { reason: "export-incomplete" });
}

/** Characters that a file name cannot have on every system, controls, and marks that turn the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069/\\:*?"<>|]/gu;

/**
 * A name that every file system takes behind a number: without {@link UNSAFE} characters, short, no dot or space at its end;
 * `file` if nothing is left.
 */
export function safeName(name: string): string {
  const kept = shortFileName(name.toWellFormed().replaceAll(UNSAFE, "")).replace(/[. ]+$/, "");
  return kept === "" ? "file" : kept;
}
