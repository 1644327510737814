import { type Sum, sumOf } from "../base/sum.ts";
import { AppError } from "../base/errors.ts";
import { shardOf } from "../blobs/key.ts";
import type { StoredFile } from "../forms/submission.ts";
import type { ArchiveEntry } from "./archive.ts";
import { storedFiles } from "./check.ts";
import type { Snapshot } from "./store.ts";

/** The description of a backup in the first line of `manifest.json`. */
export type BackupManifest = {
  format: number;
  program: string;
  createdAt: string;
  submissions: number;
  /** Uploaded files. */
  files: number;
  /** The total bytes of the uploaded files. */
  bytes: number;
};

/** The format of the archive; newer formats are refused. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
export const DATABASE = "formflag.db";
/** Longest first two lines of a manifest together, in bytes. */
const MAX_HEAD = 4096;
/** Characters of a manifest that are written at once. */
const PIECE = 64 * 1024;

/** The path of a file in an archive, the same as in a data directory. */
export function pathOf({ key }: StoredFile): string {
  return `uploads/${shardOf(key)}/${key}`;
}

/** The JSON of `manifest.json` in chunks: a line for the backup, one for the database and one for each file. */
export async function* manifestOf(
  manifest: BackupManifest,
  database: Sum,
  snapshot: Snapshot,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (path: string, { size, sha256 }: Sum) => JSON.stringify({ path, size, sha256 });
  let text = `${JSON.stringify(manifest).slice(0, -1)},"entries":[\n${line(DATABASE, database)}`;
  for await (const file of storedFiles(snapshot.files)) {
    text += `,\n${line(pathOf(file), file)}`;
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}\n]}\n`);
}

/** The first two lines of `manifest.json`, and the SHA-256 of all of it. */
type ManifestHead = { manifest: BackupManifest; expected: Sum; sha256: string };

/** Keeps only the first two lines in memory, whatever the size. Throws `unsupported`. */
export async function readManifest(
  entry: ArchiveEntry,
  progress: (bytes: number) => void,
): Promise<ManifestHead> {
  let text = "";
  const decoder = new TextDecoder();
  const { sha256 } = await sumOf(entry.bytes, async (chunk) => {
    progress(chunk.byteLength);
    if (text.length < MAX_HEAD) text += decoder.decode(chunk.subarray(0, MAX_HEAD), { stream: true });
  });
  const lines = text.slice(0, MAX_HEAD).split("\n");
  const head = parseHead(`${lines[0]}${lines[1]?.replace(/,$/, "")}]}`);
  if (typeof head?.format === "number" && head.format > FORMAT) {
    throw new AppError("unsupported", "this backup was made by a newer formflag", {
      hint: "read it with that newer formflag",
    });
  }
  const expected = head?.entries?.[0];
  if (!head || !expected || head.format !== FORMAT || !isPlain(head))
    throw notABackup(`its ${MANIFEST} was not written by formflag`);
  const { entries: _, ...manifest } = head;
  return { manifest, expected, sha256 };
}

/** Whether the texts that commands print are safe for a terminal: nothing else has checked them. */
function isPlain({ program, createdAt }: BackupManifest): boolean {
  return /^[\x20-\x7e]{1,200}$/.test(program) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(createdAt);
}

function parseHead(text: string): (BackupManifest & { entries?: (Sum | null)[] }) | null {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns the error for an archive that is not a formflag backup, or is incomplete. */
export function notABackup(why: string, cause?: unknown): AppError {
  return new AppError("unsupported", `this is not a formflag backup: ${why}`, {
    reason: "backup-unreadable",
    cause,
  });
}
