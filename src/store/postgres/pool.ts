import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { isLost, isUnreachable } from "./errors.ts";

/** Milliseconds within which a statement is answered. After them its pool is closed, and another one opened. */
export const STATEMENT_DEADLINE_MS = 5000;

/** Connections, as the driver holds them. */
type Client = { close: (options: { timeout: number }) => Promise<unknown> };

/**
 * A pool that never gives a connection more than one piece of work. Work waits here for a connection, for a limited
 * time.
 */
export type Pool<C> = {
  use: <T>(use: (client: C, expire: () => void) => Promise<T>) => Promise<T>;
  replace: () => void;
  close: () => Promise<void>;
};

/**
 * Creates a pool of `size` connections, which `open` opens when they are needed. `use` throws `unavailable` if none
 * becomes free.
 */
export function createPool<C extends Client>(open: () => C, size: number): Pool<C> {
  let current: C | undefined;
  let free = size;
  let isClosed = false;
  const waiting = new Set<PromiseWithResolvers<void>>();

  const acquire = async (): Promise<void> => {
    if (isClosed) throw unavailable("the database is closed");
    if (free > 0) {
      free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    waiting.add(turn);
    const timer = clock.after(STATEMENT_DEADLINE_MS, () => {
      waiting.delete(turn);
      turn.reject(unavailable("the database has too much to do"));
    });
    try {
      await turn.promise;
    } finally {
      timer.close();
    }
  };
  const release = () => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next.resolve();
    }
  };
  /** Lets statements under way finish, unless `timeout` is 0. */
  const drop = async (client: C | undefined, timeout: number): Promise<void> => {
    if (client === undefined) return;
    if (current === client) current = undefined;
    await client.close({ timeout });
  };
  const refuseWaiting = (message: string) => {
    for (const turn of waiting) turn.reject(unavailable(message));
    waiting.clear();
  };

  return {
    async use(use) {
      await acquire();
      const client = (current ??= open());
      try {
        return await use(client, () => {
          void drop(client, 0);
          refuseWaiting("the database does not answer");
        });
      } catch (error) {
        // If one connection was ended, the others of the pool may have been too.
        if (isLost(error)) void drop(client, STATEMENT_DEADLINE_MS / 1000);
        if (isUnreachable(error)) refuseWaiting("the database cannot be reached");
        throw error;
      } finally {
        release();
      }
    },
    replace: () => void drop(current, STATEMENT_DEADLINE_MS / 1000),
    async close() {
      isClosed = true;
      refuseWaiting("the database is closed");
      await drop(current, STATEMENT_DEADLINE_MS / 1000);
    },
  };
}

function unavailable(message: string): AppError {
  return new AppError("unavailable", message, { reason: "database-unavailable", retryAfter: 1 });
}
