import { open } from "node:fs/promises";
import { formatBytes, utf8Text } from "../../src/base/bytes.ts";
import { AppError } from "../../src/base/errors.ts";
import { MAX_IMPORT_BODY } from "../../src/operations/limits.ts";
import { chunksOf, readAtMost } from "./connection.ts";

/** Bytes that are read from a file at once. */
const CHUNK = 65_536;

/**
 * The text of a file that a command reads whole, of a pipe or of a device: at most as much as the admin API takes. Throws
 * `too_large`, `invalid` for bytes that are not UTF-8, and as the file system does.
 */
export async function readWhole(file: string): Promise<string> {
  return textOf(chunksIn(file), `the file ${file}`);
}

/** The same of a stream. Throws `too_large`, `invalid`. */
export async function streamText(stream: ReadableStream<Uint8Array>, name: string): Promise<string> {
  return textOf(chunksOf(stream), name);
}

async function textOf(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const bytes = await readAtMost(chunks, MAX_IMPORT_BODY);
  if (bytes !== null) return utf8Text(bytes, name);
  throw new AppError("too_large", `${name} holds more than ${formatBytes(MAX_IMPORT_BODY)}`);
}

/** `Bun.file` reads no devices. */
async function* chunksIn(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file);
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(CHUNK), 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
