import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { ignoreMissing } from "../../../src/base/directory.ts";
import type { ArchiveEntry } from "../../../src/maintenance/archive.ts";
import type { BackupManifest } from "../../../src/maintenance/manifest.ts";
import { unpackTar } from "../../../src/maintenance/tar.ts";
import { Failed } from "../../exit.ts";
import type { Printer } from "../../output/printer.ts";
import { progressBar } from "../../output/progress.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { formatNamed } from "../../output/save.ts";
import { counted, printable } from "../../output/text.ts";

/** Reads the entries of an archive, and returns its manifest and its problems. */
type Read = (
  entries: AsyncIterable<ArchiveEntry>,
  progress: (bytes: number) => void,
) => Promise<{ manifest: BackupManifest; problems: string[] }>;

/** Runs `read` on an archive and returns its manifest. Prints the problems of one that is not sound and throws `Failed`. */
export async function readArchive(printer: Printer, file: string, read: Read): Promise<BackupManifest> {
  const isGzip = await requireArchive(file);
  const archive = Bun.file(file);
  const line = printer.progress();
  let done = 0;
  const entries = unpackTar(isGzip ? gunzipped(archive.stream(), file) : archive.stream());
  const progress = (bytes: number) => {
    done += bytes;
    line.draw(progressBar(done, archive.size, `${formatBytes(done)} of ${basename(file)}`));
  };
  const { manifest, problems } = await read(entries, progress);
  line.clear();
  if (problems.length === 0) return manifest;
  const text = `${problems.map(printable).join("\n")}\n${file} is not sound: do not rely on it\n`;
  await printer.print({ file, ...manifest, problems }, text);
  throw new Failed();
}

/** A tar archive as it is written to a file: compressed if the name of the file ends in .gz. */
export function compressedFor(file: string, tar: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (formatNamed(file, ["gz", "tgz"]) === undefined) return tar;
  // The types of the library take any buffer, those of the archive one kind.
  return tar.pipeThrough(new CompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>);
}

/** The content of a gzip file. Its stream throws `unsupported` if it cannot be decompressed. */
function gunzipped(
  packed: ReadableStream<Uint8Array<ArrayBuffer>>,
  file: string,
): ReadableStream<Uint8Array> {
  const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(stream) {
      const read = await reader.read().catch((cause: unknown) => {
        throw new AppError("unsupported", `${file} is damaged: it cannot be decompressed`, { cause });
      });
      if (read.done) stream.close();
      else stream.enqueue(read.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Describes the content of a backup for display. */
export function contents({ submissions, files, bytes, createdAt }: BackupManifest): string {
  return `${counted(submissions, "submission")} and ${counted(files, "file")} (${formatBytes(bytes)}) as of ${createdAt}`;
}

/** The first block of a tar archive has this word (POSIX ustar); compressed files begin with these bytes. */
const TAR = { at: 257, word: "ustar" };
const GZIP = "1f8b";
const COMPRESSED = { "28b52ffd": "unzstd", fd377a585a: "unxz", "425a68": "bunzip2" };

/**
 * Returns whether an archive is compressed by gzip. Throws `not_found` if the file does not exist, `unsupported` if it does
 * not begin like a tar archive or gzip.
 */
export async function requireArchive(file: string): Promise<boolean> {
  const status = await stat(file).catch(ignoreMissing);
  const hint = "name a file that formflag backup create wrote";
  if (!status) throw new AppError("not_found", `the file ${file} does not exist`, { hint });
  if (status.isDirectory())
    throw new AppError("unsupported", `${file} is a directory, not a backup`, { hint });
  // A pipe can be read only once.
  if (status.isFIFO() || status.isSocket()) return false;
  if (!status.isFile()) throw new AppError("unsupported", `${file} is a device, not a backup`, { hint });
  const start = Buffer.from(await Bun.file(file).slice(0, 512).arrayBuffer());
  if (start.toString("latin1", TAR.at, TAR.at + TAR.word.length) === TAR.word) return false;
  if (start.toString("hex").startsWith(GZIP)) return true;
  const program = Object.entries(COMPRESSED).find(([bytes]) => start.toString("hex").startsWith(bytes))?.[1];
  if (program !== undefined)
    throw new AppError("unsupported", `${file} is compressed`, {
      hint: `unpack it first: ${program} ${shellWord(file)}`,
    });
  throw new AppError("unsupported", `${file} is not a formflag backup`, { hint });
}
