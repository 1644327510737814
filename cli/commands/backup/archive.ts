import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { ignoreMissing } from "../../../src/base/directory.ts";
import type { ArchiveEntry } from "../../../src/maintenance/archive.ts";
import type { BackupManifest } from "../../../src/maintenance/manifest.ts";
import { unpackTar } from "../../../src/maintenance/tar.ts";
import { isBucketUrl } from "../../data/archive-names.ts";
import { Failed } from "../../exit.ts";
import type { Printer } from "../../output/printer.ts";
import { progressBar } from "../../output/progress.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { formatNamed } from "../../output/save.ts";
import { counted, printable } from "../../output/text.ts";

type Bytes = ReadableStream<Uint8Array>;

/** Decrypts an archive. Throws if it cannot be decrypted. */
export type Open = (encrypted: Bytes) => Promise<Bytes>;

/** An archive that can be read once. `size` is that of what is read, `name` as it was given. */
export type Archive = { name: string; size: number; tar: Bytes };

/** Reads the entries of an archive, and returns its manifest and its problems. */
type Read = (
  entries: AsyncIterable<ArchiveEntry>,
  progress: (bytes: number) => void,
) => Promise<{ manifest: BackupManifest; problems: string[] }>;

/** Runs `read` on an archive and returns its manifest. Prints the problems of one that is not sound and throws `Failed`. */
export async function readArchive(
  printer: Printer,
  { name: file, size, tar }: Archive,
  read: Read,
): Promise<BackupManifest> {
  const line = printer.progress();
  let done = 0;
  const progress = (bytes: number) => {
    done += bytes;
    line.draw(progressBar(done, size, `${formatBytes(done)} of ${basename(file)}`));
  };
  const { manifest, problems } = await read(unpackTar(tar), progress);
  line.clear();
  if (problems.length === 0) return manifest;
  const text = `${problems.map(printable).join("\n")}\n${file} is not sound: do not rely on it\n`;
  await printer.print({ file, ...manifest, problems }, text);
  throw new Failed();
}

/** A tar archive as it is written to a file: compressed if the name of the file ends in .gz. */
export function compressedFor(file: string, tar: Bytes): Bytes {
  if (formatNamed(file.replace(/\.age$/i, ""), ["gz", "tgz"]) === undefined) return tar;
  // The types of the library take any buffer, those of the archive one kind.
  return tar.pipeThrough(new CompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>);
}

/** Describes the content of a backup for display. */
export function contents({ submissions, files, bytes, createdAt }: BackupManifest): string {
  return `${counted(submissions, "submission")} and ${counted(files, "file")} (${formatBytes(bytes)}) as of ${createdAt}`;
}

const HINT = "name a file that formflag backup create wrote";
/** The first block of a tar archive has this word (POSIX ustar); compressed files begin with these bytes. */
const TAR = { at: 257, word: "ustar" };
const GZIP = "1f8b";
const COMPRESSED = { "28b52ffd": "unzstd", fd377a585a: "unxz", "425a68": "bunzip2" };
const BLOCK = 512;
/** The beginning of an encrypted file: https://age-encryption.org/v1 */
const AGE = /^age-encryption\.org\/|^-----BEGIN AGE ENCRYPTED FILE-----/;

/**
 * Opens an archive in a file, a pipe or a bucket; `open` is null without identities. Throws `not_found` without one,
 * `unauthenticated` if it is encrypted and there are no identities, `unsupported` if it does not begin like an archive, and what
 * `open` throws.
 */
export async function openArchive(file: string, open: Open | null): Promise<Archive> {
  const { size, bytes, name } = isBucketUrl(file) ? await openInBucket(file) : await openFile(file);
  return { name, size, tar: await plainOf(bytes, name, open) };
}

async function openInBucket(url: string): Promise<{ name: string; size: number; bytes: Bytes }> {
  const { openPlace, newestName } = await import("../../data/archive-place.ts");
  const place = openPlace(url);
  const name = await newestName(place);
  return { name: place.urlOf(name), ...(await place.bucket.read(name)) };
}

async function openFile(name: string): Promise<{ name: string; size: number; bytes: Bytes }> {
  const status = await stat(name).catch(ignoreMissing);
  if (!status) throw new AppError("not_found", `the file ${name} does not exist`, { hint: HINT });
  if (status.isDirectory())
    throw new AppError("unsupported", `${name} is a directory, not a backup`, { hint: HINT });
  if (!status.isFile() && !status.isFIFO() && !status.isSocket())
    throw new AppError("unsupported", `${name} is a device, not a backup`, { hint: HINT });
  return { name, size: status.size, bytes: Bun.file(name).stream() };
}

/** The tar archive in bytes that may be encrypted or compressed, as their beginning says. */
async function plainOf(bytes: Bytes, name: string, open: Open | null): Promise<Bytes> {
  const { start, whole } = await peek(bytes);
  const hex = start.toString("hex", 0, 8);
  if (start.toString("latin1", TAR.at, TAR.at + TAR.word.length) === TAR.word) return whole;
  if (hex.startsWith(GZIP)) {
    const unpacked = whole.pipeThrough(
      new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>,
    );
    return guarded(unpacked, `${name} is damaged: it cannot be decompressed`);
  }
  if (AGE.test(start.toString("latin1"))) {
    const decrypted = await decryptedOf(whole, start, name, open).catch(async (error: unknown) => {
      await whole.cancel().catch(() => {});
      throw error;
    });
    return plainOf(guarded(decrypted, `${name} is damaged: it cannot be decrypted`), name, null);
  }
  await whole.cancel();
  const program = Object.entries(COMPRESSED).find(([bytes]) => hex.startsWith(bytes))?.[1];
  if (program !== undefined)
    throw new AppError("unsupported", `${name} is compressed`, {
      hint: `unpack it first: ${program} ${shellWord(name)}`,
    });
  throw new AppError("unsupported", `${name} is not a formflag backup`, { hint: HINT });
}

async function decryptedOf(bytes: Bytes, start: Buffer, name: string, open: Open | null): Promise<Bytes> {
  if (start.toString("latin1").startsWith("-----"))
    throw new AppError("unsupported", `${name} is encrypted as text (armor)`, {
      hint: "decrypt it first: age -d",
    });
  if (open === null)
    throw new AppError("unauthenticated", `${name} is encrypted`, {
      hint: "name the file with the private key: --identity-file <file>",
    });
  return open(bytes);
}

/** The first block of a stream, and a stream with all of it: what a pipe holds can be read only once. */
async function peek(bytes: Bytes): Promise<{ start: Buffer; whole: Bytes }> {
  const reader = bytes.getReader();
  const read: Uint8Array[] = [];
  let size = 0;
  while (size < BLOCK) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    read.push(value);
  }
  const start = Buffer.concat(read);
  const whole = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        const { done = false, value } = read.length > 0 ? { value: read.shift() } : await reader.read();
        if (done) stream.close();
        else stream.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { start: start.subarray(0, BLOCK), whole };
}

/** A stream whose errors are `unsupported` with that message, unless they say something else themselves. */
function guarded(bytes: Bytes, message: string): Bytes {
  const reader = bytes.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        const read = await reader.read().catch((cause: unknown) => {
          throw cause instanceof AppError ? cause : new AppError("unsupported", message, { cause });
        });
        if (read.done) stream.close();
        else stream.enqueue(read.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
