import type { Caller } from "../access/caller.ts";
import { clock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { STALL_MS } from "./limits.ts";

/** Milliseconds for which a stream goes on without a check of its caller's rights. */
const CHECK_MS = 500;

/** The end of the stream of a reader that took nothing for {@link STALL_MS}. */
const STALLED = new AppError("unavailable", "this answer was not read on in time");

/** Refusals of a caller whose rights have changed. */
const ENDS: ReadonlySet<string> = new Set(["unauthenticated", "forbidden"]);

/**
 * A stream that produces chunks as fast as the receiver reads them. An error breaks it off, and goes to `report`; so does
 * the end of the rights of `caller`, which is no error.
 */
export function streamOf(
  chunks: AsyncGenerator<string | Uint8Array>,
  report: (error: unknown) => void,
  caller?: Pick<Caller, "verify">,
): ReadableStream<Uint8Array> {
  let isCancelled = false;
  let checkedAt = clock.steady();
  const check = async () => {
    if (!caller || clock.steady() - checkedAt < CHECK_MS) return;
    checkedAt = clock.steady();
    await caller.verify();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        await check();
        const { done, value } = await chunks.next();
        // A receiver that went away in the meantime has closed the stream.
        if (isCancelled) return;
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
      } catch (error) {
        if (error !== STALLED && !(error instanceof AppError && ENDS.has(error.code))) report(error);
        await chunks.return(undefined);
        throw error;
      }
    },
    async cancel() {
      isCancelled = true;
      await chunks.return(undefined);
    },
  });
}

/**
 * Chunks for {@link streamOf} that break off once the reader took nothing for {@link STALL_MS}. `leave` is called then, or at
 * their end.
 */
export async function* untilStalled<T extends string | Uint8Array>(
  chunks: AsyncGenerator<T>,
  leave: () => void,
): AsyncGenerator<T> {
  let isLeft = false;
  const end = () => {
    if (!isLeft) leave();
    isLeft = true;
  };
  try {
    for await (const chunk of chunks) {
      let isStalled = false;
      const timer = clock.after(STALL_MS, () => {
        isStalled = true;
        end();
      });
      try {
        yield chunk;
      } finally {
        timer.close();
      }
      if (isStalled) throw STALLED;
    }
  } finally {
    end();
  }
}
