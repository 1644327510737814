import { AppError } from "../../base/errors.ts";
import { blobKey } from "../../blobs/key.ts";
import type { FormsApp } from "../store.ts";
import { findFile } from "../submissions.ts";
import type { FileInfo, Submission } from "../submission.ts";

/** Bytes at the beginning of a file that {@link previewTypeOf} needs; all of a shorter file. */
const PREVIEW_HEAD_BYTES = 64;

/** Files of a submission, its first, that {@link findPreviews} reads from. */
const MAX_PREVIEWS = 20;

/** The images that every browser shows and that run nothing, by how their bytes begin. */
const FORMATS: [type: string, isFormat: (head: Uint8Array) => boolean][] = [
  ["image/png", (head) => startsWith(head, 0, "\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (head) => startsWith(head, 0, "\xff\xd8\xff")],
  ["image/gif", (head) => startsWith(head, 0, "GIF87a") || startsWith(head, 0, "GIF89a")],
  ["image/webp", (head) => startsWith(head, 0, "RIFF") && startsWith(head, 8, "WEBPVP8")],
  // https://aomediacodec.github.io/av1-avif/#brands
  ["image/avif", (head) => startsWith(head, 4, "ftypavif") || startsWith(head, 4, "ftypavis")],
];

/**
 * The media type as which a file may be shown in a page, by its first 64 bytes alone: one of five kinds
 * of image; null for anything else. The name and the type that the sender chose do not count.
 */
export function previewTypeOf(head: Uint8Array): string | null {
  return FORMATS.find(([, isFormat]) => isFormat(head))?.[0] ?? null;
}

/** Whether bytes are at a position, each written as the character of its number. */
function startsWith(head: Uint8Array, at: number, bytes: string): boolean {
  return Buffer.from(head.subarray(at, at + bytes.length)).toString("latin1") === bytes;
}

/**
 * A file of a submission by its number, from 1, or its unique name, to be shown in a page; null if its content is not an
 * image that may be. Throws `not_found`, `conflict`.
 */
export async function openPreview(
  app: FormsApp,
  submission: Submission,
  numberOrName: string,
): Promise<{ file: FileInfo; type: string; bytes: ReadableStream<Uint8Array<ArrayBuffer>> } | null> {
  const { file, position } = findFile(submission, numberOrName);
  const key = blobKey(submission.id, position);
  const type = previewTypeOf(await app.blobs.head(key, PREVIEW_HEAD_BYTES));
  return type === null ? null : { file, type, bytes: await app.blobs.open(key) };
}

/** The numbers of the files of a submission that {@link openPreview} opens, from 1, among its first 20. */
export async function findPreviews(app: FormsApp, { id, files }: Submission): Promise<Set<number>> {
  const found = new Set<number>();
  for (let position = 1; position <= Math.min(files.length, MAX_PREVIEWS); position += 1) {
    try {
      const head = await app.blobs.head(blobKey(id, position), PREVIEW_HEAD_BYTES);
      if (previewTypeOf(head) !== null) found.add(position);
    } catch (error) {
      // A file that is missing hides nothing else of the submission.
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    }
  }
  return found;
}
