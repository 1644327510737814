import { clock } from "../../src/base/clock.ts";
import type { Sockets, Tls } from "./listen.ts";

/** Changes certificates: new connections get the new one, open connections keep the old one. */
export type Renewal = { renew: (tls: Tls) => Promise<void>; stop: () => void };

/**
 * Changes the certificates of an address at which each of the threads has a socket. `retirement` is how long a socket with
 * an old certificate serves its open connections, in milliseconds.
 */
export function createRenewal(
  threads: Sockets[],
  retirement: number,
  report: (error: unknown) => void,
): Renewal {
  const count = threads.length;
  /** Generations of sockets in the kernel's order: one socket of each thread with the same certificate. */
  const generations = [0];
  /** Those whose sockets are in the opposite order of the threads, since they were moved one by one from the end. */
  const reversed = new Set<number>();
  let current = 0;
  let made = 0;
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  /** Spreads new connections over sockets, by their places in that order. Returns false if the kernel does not support it. */
  let spread = (_first: number, _count: number) => false;

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(() => (isOver ? undefined : work()));
    last = done.catch(() => {});
    return done;
  };
  const steer = () => spread(generations.indexOf(current) * count, count);

  /** Gives the last generation the place of one whose sockets are closed. */
  const moveLast = (closed: number) => {
    const moved = generations.pop()!;
    if (moved !== closed) {
      generations[generations.indexOf(closed)] = moved;
      if (!reversed.delete(moved)) reversed.add(moved);
    }
    reversed.delete(closed);
    steer();
  };

  /**
   * The kernel moves the last socket to the place of a closed one. While it moves those of the current generation,
   * connections go to those that stay where they are; at last to those that have been moved.
   */
  const closeGeneration = async (generation: number) => {
    const end = generations.length - 1;
    const place = generations.indexOf(generation) * count;
    for (const [closed, thread] of threads.entries()) {
      if (generations[end] === current) {
        if (closed < count - 1) spread(end * count, count - 1 - closed);
        else if (count > 1) spread(reversed.has(generation) ? place + 1 : place, count - 1);
      }
      const closing = thread.closeOldest();
      // One thread has closed its socket by now, and no connection may come before the new order.
      if (count === 1) moveLast(generation);
      await closing;
    }
    if (count > 1) moveLast(generation);
  };

  /** Opens a socket in each thread, all or none. */
  const addGeneration = async (tls: Tls) => {
    const { openSockets, steerConnections } = await import("./handover.ts");
    const before = openSockets();
    const added: Sockets[] = [];
    try {
      for (const thread of threads) {
        await thread.add(tls);
        added.push(thread);
        if (added.length > 1) continue;
        const opened = [...openSockets()].filter(([name]) => !before.has(name));
        // Any other socket that was opened meanwhile refuses the option.
        spread = (first, count) =>
          opened.some(([, descriptor]) => steerConnections(descriptor, first, count));
      }
    } catch (error) {
      // At the limit of open files: the old certificate stays in use.
      for (const thread of added.toReversed()) await thread.closeNewest();
      throw error;
    }
  };

  return {
    renew: (tls) =>
      inTurn(async () => {
        const before = spread;
        try {
          await addGeneration(tls);
        } catch (error) {
          spread = before;
          throw error;
        }
        const old = current;
        current = made += 1;
        generations.push(current);
        if (!steer()) return closeGeneration(old);
        for (const thread of threads) await thread.retireOld();
        clock.after(retirement, () => void inTurn(() => closeGeneration(old)).catch(report)).unref();
      }),
    stop: () => void (isOver = true),
  };
}
