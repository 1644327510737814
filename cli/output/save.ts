import { type FileHandle, open, realpath, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { createPace } from "../../src/base/pace.ts";
import { syncDirectory } from "../../src/blobs/disk.ts";
import { openPartial } from "../data/partial.ts";
import { chunksOf } from "../session/connection.ts";
import { usage } from "../session/values.ts";
import type { Io } from "./terminal.ts";
import { printableLines } from "./text.ts";

/**
 * Passes a body on to standard output, as fast as its reader takes it. Ends early, and
 * returns false, where the reader goes away. A terminal gets text alone: throws `invalid` for anything else.
 */
export async function writeOut(io: Io, { body }: Body): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunksOf(body)) {
    if (io.outIsTerminal) await io.out(printableLines(textOf(chunk, decoder)));
    else await io.out(chunk);
    if (io.outIsClosed) return false;
  }
  return true;
}

function textOf(chunk: Uint8Array, decoder: TextDecoder): string {
  try {
    const text = decoder.decode(chunk, { stream: true });
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw usage(
    "the download is not text, and would go to the terminal",
    "save it with -o FILE, or write it into a pipe",
  );
}

type Body = Pick<Response, "body">;

type Progress = {
  /** What `count` adds up to at the end. */
  total: number;
  count: (bytes: Uint8Array) => number;
  show: boolean;
  io: Io;
};

/**
 * Saves a body under a name that appears only once it is whole; what is no regular file (a pipe, a device) is written
 * as it stands. Throws `invalid` for a directory, `forbidden` where nothing can be written.
 */
export async function saveTo(
  file: string,
  { body }: Body,
  { total, count, show, io }: Progress,
): Promise<void> {
  const target = await targetOf(file);
  const folder = dirname(target.path);
  const cannotWrite = (error: unknown) => {
    const known = diskError(error, file);
    if (known instanceof AppError) return known;
    return new AppError("forbidden", `the file ${file} cannot be written`, {
      cause: error,
      hint: `check that the folder ${folder} exists and is yours`,
    });
  };
  using partial = target.isStream ? undefined : partialIn(folder, cannotWrite);
  const written = partial?.path("file") ?? target.path;
  const handle = await open(written, "w", 0o600).catch((error: unknown) => {
    throw cannotWrite(error);
  });
  let done = 0;
  const counted = async function* () {
    for await (const chunk of chunksOf(body)) {
      yield chunk;
      done += count(chunk);
      if (show) io.redraw(`${progressBar(done / Math.max(1, total))}  ${file}`);
    }
  };
  try {
    await writeChunks(handle, counted(), !target.isStream);
  } catch (error) {
    throw diskError(error, file);
  } finally {
    await handle.close();
  }
  if (partial) {
    await rename(written, target.path);
    await syncDirectory(folder);
  }
  if (!show) return;
  io.redraw(`${progressBar(1)}  ${file} saved`);
  io.err("\n");
}

function partialIn(
  folder: string,
  cannotWrite: (error: unknown) => AppError,
): ReturnType<typeof openPartial> {
  try {
    return openPartial(folder);
  } catch (error) {
    throw cannotWrite(error);
  }
}

/**
 * Writes chunks as they come. Where they are to be `durable`, the file is flushed in steps, so that others who need the
 * disk meanwhile are not held up by one long flush.
 */
export async function writeChunks(
  handle: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  durable: boolean,
): Promise<void> {
  const pace = createPace();
  let unflushed = 0;
  for await (const chunk of chunks) {
    await handle.writeFile(chunk);
    unflushed += chunk.byteLength;
    if (!durable || unflushed < pace.size) continue;
    const start = performance.now();
    await handle.sync();
    pace.took(performance.now() - start);
    unflushed = 0;
  }
  if (durable) await handle.sync();
}

/** A full or failing disk in words; any other error as it is. */
export function diskError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [message, hint] =
    {
      ENOSPC: ["cannot be written: the disk is full", "free some space, or use another disk"],
      EDQUOT: ["cannot be written: the disk quota is used up", "free some space, or use another disk"],
      EFBIG: ["cannot be written: the disk takes no file so large", "use another disk"],
      EIO: ["cannot be written: the disk reports an error", "check the disk and the system log"],
    }[code] ?? [];
  return message === undefined
    ? error
    : new AppError("unavailable", `the file ${file} ${message}`, { hint, cause: error });
}

/** Where bytes for a file go: through links, so that they stay links. */
async function targetOf(file: string): Promise<{ path: string; isStream: boolean }> {
  if (file === "") throw usage("--output is empty", "name a file, or - for standard output");
  try {
    const path = await realpath(file);
    const found = await stat(path);
    if (found.isDirectory())
      throw usage(`${file} is a directory`, `name a file in it: ${join(file, "FILE")}`);
    return { path, isStream: !found.isFile() };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return { path: file, isStream: false };
    throw error;
  }
}

const BAR_WIDTH = 24;

/** Drawn here: the library's own takes the keyboard, and with it Ctrl-C. */
export function progressBar(share: number): string {
  const filled = Math.round(Math.min(1, share) * BAR_WIDTH);
  const percent = String(Math.floor(Math.min(1, share) * 100)).padStart(3);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent} %`;
}
