import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { deleteSubmissions } from "../sql/submissions/removals.ts";
import { forgetNothing } from "./copies/moving.ts";
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

/**
 * Deletes once the database answers, and again later: an abandoned insert may still be running. `report` is given the
 * ids of submissions that were stored, and of submissions that could not be deleted.
 */
export function createWithdrawals(
  { write }: Pick<Units, "write">,
  report: (error: unknown) => void,
): Withdrawals {
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();

  /** Throws if the process ends before the database answers. */
  const remove = async (ids: string[]): Promise<string[]> => {
    // Collected over every attempt: the answer to one that deleted them may be lost.
    const deleted = new Set<string>();
    const work = function* () {
      for (const id of yield* deleteSubmissions(forgetNothing, ids, SUBMISSION_STATES, null)) deleted.add(id);
    };
    for (;;) {
      try {
        await write(work);
        return [...deleted];
      } catch (error) {
        if (!(error instanceof AppError) || closing.signal.aborted) throw error;
      }
      await clock.sleep(RETRY_MS);
    }
  };
  const withdraw = async (ids: string[]) => {
    try {
      for (const pause of PAUSES) {
        const deleted = await remove(ids);
        if (deleted.length > 0) report(aboutRefused("were stored, and are deleted", deleted));
        await pauseUntil(closing.signal, pause);
      }
    } catch (error) {
      report(aboutRefused("may be stored, and could not be deleted", ids, error));
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

/** Tells the operator that refused submissions were stored, or could not be deleted. */
export function aboutRefused(what: string, ids: readonly string[], cause?: unknown): AppError {
  return new AppError("unavailable", `refused submissions ${what}: ${ids.join(" ")}`, { cause });
}

/** Waits, unless the signal is given. */
async function pauseUntil(signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted || ms === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  timer.unref();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  timer.close();
}
