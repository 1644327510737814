import type { Caller } from "../access/caller.ts";
import { clock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";

/** Milliseconds for which a stream goes on without a check of its caller's rights. */
const CHECK_MS = 500;

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
        if (!(error instanceof AppError && ENDS.has(error.code))) report(error);
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
