import { AppError } from "../../base/errors.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { deleteSubmissions } from "../sql/removals.ts";
import { forgetNothing } from "./moving.ts";
import type { Units } from "./run.ts";

/** Milliseconds between two attempts to withdraw submissions, and behind each time that it was done. */
const RETRY_MS = 1000;
const PAUSES = [10_000, 60_000, 300_000, 0];

export type Withdrawals = {
  /** Deletes submissions that were refused, although the database may have stored them. */
  add: (ids: string[]) => void;
  /** Ends the waits, and fulfils once nothing is under way. */
  close: () => Promise<void>;
};

/** Deletes once the database answers, and again later: an insert that nobody waits for may still be under way. */
export function createWithdrawals({ write }: Pick<Units, "write">): Withdrawals {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();

  const withdraw = async (ids: string[]) => {
    for (const pause of PAUSES) {
      while (!(await isDone(() => write(() => deleteSubmissions(forgetNothing, ids, SUBMISSION_STATES))))) {
        if (closing.signal.aborted) return;
        await Bun.sleep(RETRY_MS);
      }
      await pauseUntil(closing.signal, pause);
    }
  };
  return {
    add(ids) {
      if (ids.length === 0) return;
      const withdrawal = withdraw(ids).finally(() => underWay.delete(withdrawal));
      underWay.add(withdrawal);
    },
    async close() {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/** Does a work and returns true, or false where the database does not let it. */
async function isDone(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Waits, unless the signal is given. */
async function pauseUntil(signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted || ms === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  timer.unref();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
