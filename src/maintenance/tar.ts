import { type ParsedTarEntry, createTarDecoder, createTarPacker } from "modern-tar";
import { AppError } from "../base/errors.ts";
import type { ArchiveEntry } from "./archive.ts";

/** Unpacked files are readable and writable by their owner alone. */
const MODE = 0o600;

/**
 * A POSIX tar archive of the entries, produced as it is read. An error of an entry is an error of the archive; cancelling
 * the archive closes the entries.
 */
export function packTar(entries: AsyncIterable<ArchiveEntry>, time: number): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const pack = async () => {
    for await (const { path, size, bytes } of entries) {
      const writer = controller
        .add({ name: path, size, mode: MODE, mtime: new Date(time), type: "file" })
        .getWriter();
      for await (const chunk of bytes) await writer.write(chunk);
      await writer.close();
    }
    controller.finalize();
  };
  const packed = pack().catch((error: unknown) => controller.error(error));
  const reader = readable.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        const { done, value } = await reader.read();
        if (done) stream.close();
        else stream.enqueue(value);
      },
      async cancel(reason) {
        await reader.cancel(reason);
        await packed;
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The files of a tar archive in order. Read the bytes of a file before the next file; otherwise they are skipped.
 * Throws `unsupported` for a truncated archive, for other formats, and for entries that are not regular files.
 */
export async function* unpackTar(archive: ReadableStream<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const decoder = createTarDecoder({ strict: true });
  const entries = archive.pipeThrough<ParsedTarEntry>(decoder);
  try {
    for await (const { header, body } of entries) {
      const { name: path, size, type } = header;
      if (type !== "file") throw damaged(`its entry ${path} is a ${type}, not a file`);
      yield { path, size, bytes: body };
      // After the cancellation of a body the decoder spins for ever at a large one.
      if (!body.locked) for await (const _ of body);
    }
  } catch (error) {
    throw error instanceof Error && !("code" in error) ? damaged(error.message) : error;
  }
}

function damaged(what: string): AppError {
  return new AppError("unsupported", `this archive is damaged: ${what}`, {
    hint: "was it copied or downloaded completely?",
  });
}
