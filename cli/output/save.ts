import { open, realpath, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { syncDirectory } from "../../src/base/directory.ts";
import { openPartial } from "../data/partial.ts";
import { diskError, writeChunks } from "../data/write.ts";
import { chunksOf } from "../session/connection.ts";
import { usage } from "../session/usage.ts";
import type { Io } from "./terminal.ts";

/**
 * Writes a body to standard output at the speed of its reader. Returns false if the reader goes away early. Throws
 * `invalid` for a body that is not text if standard output is a terminal.
 */
export async function writeOut(io: Io, { body }: Body): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunksOf(body)) {
    if (io.outIsTerminal) await io.out(textOf(chunk, decoder));
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

/** The format that the end of a file's name stands for; undefined for any other name. */
export function formatNamed<T extends string>(file: string, formats: readonly T[]): T | undefined {
  return formats.find((format) => file.toLowerCase().endsWith(`.${format}`));
}

/** Ends of names that stand for a format, which an export refuses unless it writes it. */
const OTHER_FORMATS = [
  "xlsx",
  "xls",
  "ods",
  "gz",
  "zst",
  "tar",
  "zip",
  "csv",
  "tsv",
  "jsonl",
  "ndjson",
  "yaml",
  "yml",
  "xml",
  "html",
  "pdf",
] as const;

/** Ends of names that stand for another one's format. */
const SAME: Readonly<Record<string, string>> = { yml: "yaml", ndjson: "jsonl" };

/**
 * The format of an export: the one given, or by the name of its file; undefined for a name that stands for none. Throws
 * `invalid` for a name that stands for another.
 */
export function exportFormat<T extends string>(
  file: string,
  formats: readonly T[],
  given?: T,
): T | undefined {
  const ending = formatNamed(file, [...formats, ...OTHER_FORMATS]);
  if (ending === undefined) return given;
  const plain = SAME[ending] ?? ending;
  const stem = file.slice(0, -ending.length - 1);
  if (given !== undefined && plain !== given)
    throw usage(
      `${file} is a name for .${ending}, and --format is ${given}`,
      `name the file ${stem}.${given}, or leave out --format`,
    );
  const format = formats.find((each) => each === ending) ?? formats.find((each) => each === plain);
  if (format !== undefined) return format;
  throw usage(
    `this export is not written as .${ending}`,
    `name the file ${formats.map((known) => `${stem}.${known}`).join(", ")}; -o - writes to standard output`,
  );
}

type Body = Pick<Response, "body">;

/**
 * Saves a body to a file that appears only once it is complete; a pipe or a device is written to directly. `onWritten`
 * gets each chunk, and `check` the path of the whole file before it gets its name, unless it is a pipe or a device. Throws `invalid` for a directory, `forbidden` if the file cannot be written, `unavailable` if the
 * disk is full or fails.
 */
export async function saveTo(
  file: string,
  { body }: Body,
  onWritten: (chunk: Uint8Array) => void = () => {},
  check: (path: string) => Promise<void> = async () => {},
): Promise<void> {
  const target = await targetOf(file);
  const folder = dirname(target.path);
  const cannotWrite = (error: unknown) => notWritable(file, error);
  using partial = target.isStream ? undefined : partialIn(folder, cannotWrite);
  const written = partial?.path("file") ?? target.path;
  const handle = await open(written, "w", 0o600).catch((error: unknown) => {
    throw cannotWrite(error);
  });
  const chunks = async function* () {
    for await (const chunk of chunksOf(body)) {
      yield chunk;
      onWritten(chunk);
    }
  };
  try {
    await writeChunks(handle, chunks(), !target.isStream);
  } catch (error) {
    throw diskError(error, `the file ${file}`);
  } finally {
    await handle.close();
  }
  if (!partial) return;
  await check(written);
  await rename(written, target.path);
  await syncDirectory(folder);
}

function notWritable(file: string, error: unknown): AppError {
  const known = diskError(error, `the file ${file}`);
  if (known instanceof AppError) return known;
  return new AppError("forbidden", `the file ${file} cannot be written`, {
    cause: error,
    hint: `check that the folder ${dirname(file)} exists and is yours`,
  });
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

/** The path to write to. Links are followed, so that they stay links. */
async function targetOf(file: string): Promise<{ path: string; isStream: boolean }> {
  if (file === "") throw usage("--output is empty", "name a file, or - for standard output");
  try {
    const path = await realpath(file);
    const status = await stat(path);
    if (status.isDirectory())
      throw usage(`${file} is a directory`, `name a file in it: ${join(file, "FILE")}`);
    return { path, isStream: !status.isFile() };
  } catch (error) {
    const code = systemCode(error);
    if (/^ENO(?:ENT|TDIR)$/.test(code) && file.endsWith("/"))
      throw usage(
        `the directory ${file} does not exist`,
        `create it, and name a file in it: ${join(file, "FILE")}`,
      );
    if (code === "ENOENT") return { path: file, isStream: false };
    throw code === "" || error instanceof AppError ? error : notWritable(file, error);
  }
}
