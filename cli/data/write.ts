import { own } from "../../src/base/shapes/own.ts";
import { clock } from "../../src/base/clock.ts";
import type { FileHandle } from "node:fs/promises";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { createPace } from "../../src/base/pace.ts";

/**
 * Writes chunks as they arrive. If `durable`, the file is flushed in steps, so that one long flush does not hold up
 * other users of the disk.
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
    const start = clock.steady();
    await handle.sync();
    pace.adjust(clock.steady() - start);
    unflushed = 0;
  }
  if (durable) await handle.sync();
}

const DISK_ERRORS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  ENOSPC: ["cannot be written: the disk is full", "free some space, or use another disk"],
  EDQUOT: ["cannot be written: the disk quota is used up", "free some space, or use another disk"],
  EFBIG: ["cannot be written: the disk takes no file so large", "use another disk"],
  EROFS: ["cannot be written: the disk is mounted read-only", "use another disk"],
  EIO: ["cannot be written: the disk reports an error", "check the disk and the system log"],
};

/** An AppError `unavailable` for a disk that is full, failing or mounted read-only; any other error unchanged. */
export function diskError(error: unknown, what: string): unknown {
  const code = systemCode(error);
  const [message, hint] = own(DISK_ERRORS, code) ?? [];
  return message === undefined
    ? error
    : new AppError("unavailable", `${what} ${message}`, { hint, cause: error });
}
