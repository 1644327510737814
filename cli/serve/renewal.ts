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

  const closeGeneration = async (generation: number) => {
    const end = generations.length - 1;
    for (const [closed, thread] of threads.entries()) {
      // The kernel moves the last socket to the place of a closed one: connections go to those that stay where they are.
      if (generations[end] === current) spread(end * count, Math.max(1, count - 1 - closed));
      await thread.closeOldest();
    }
    const moved = generations.pop()!;
    if (moved !== generation) generations[generations.indexOf(generation)] = moved;
    steer();
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
