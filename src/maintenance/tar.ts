import { type ParsedTarEntry, createTarDecoder, createTarPacker } from "modern-tar";
import { AppError } from "../base/errors.ts";
import type { ArchiveEntry } from "./backup.ts";

/** Tar holds whole seconds; a file of an archive is read and written by its owner alone. */
const MODE = 0o600;

/**
 * A POSIX tar archive of these entries, as its reader takes it; an error of an entry is an error of the archive. Once
 * cancelled, the entries are closed.
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
 * The files of a tar archive in their order; the bytes of one are read before the next is asked for, or skipped. Throws
 * `unsupported` for what is no tar archive or a cut-off one, and for entries that are no plain files.
 */
export async function* unpackTar(archive: ReadableStream<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const decoder = createTarDecoder({ strict: true });
  const entries = archive.pipeThrough<ParsedTarEntry>(decoder);
  try {
    for await (const { header, body } of entries) {
      const { name: path, size, type } = header;
      if (type !== "file") throw damaged(`${path} in it is a ${type}, no file`);
      yield { path, size, bytes: body };
      if (!body.locked) await body.cancel();
    }
  } catch (error) {
    throw error instanceof Error && !("code" in error) ? damaged(error.message) : error;
  }
}

function damaged(what: string): AppError {
  return new AppError("unsupported", `this is no sound archive: ${what}`, {
    hint: "was it copied or downloaded completely?",
  });
}
