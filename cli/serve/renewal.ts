import { clock } from "../../src/base/clock.ts";
import type { Sockets, Tls } from "./listen.ts";

/** Changes certificates: new connections get the new one, open connections keep the old one. */
export type Renewal = { renew: (tls: Tls) => Promise<void>; stop: () => void };

/** Spreads new connections over so many sockets from a place in their order on. Returns false if the kernel does not support it. */
type Spread = (first: number, count: number) => boolean;

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
  const order = createOrder(count);
  /** Generations with an old certificate whose sockets are open, the oldest first. */
  const old: number[] = [];
  let current = 0;
  let made = 0;
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  let spread: Spread = () => false;

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(() => (isOver ? undefined : work()));
    last = done.catch(() => {});
    return done;
  };
  const steer = () => spread(order.placeOf(current), count);

  /**
   * While the kernel moves sockets of the current generation, connections go to the sockets that keep their places, and at
   * last to the moved ones.
   */
  const closeGeneration = async (generation: number) => {
    for (const [closed, thread] of threads.entries()) {
      if (order.isLast(current)) {
        if (closed < count - 1) spread(order.placeOf(current), count - 1 - closed);
        else if (count > 1) spread(order.placeOfMoved(generation), count - 1);
      }
      const closing = thread.closeOldest();
      // One thread has closed its socket by now, and no connection may come before the new order.
      if (count === 1) {
        order.close(generation);
        steer();
      }
      await closing;
    }
    if (count === 1) return;
    order.close(generation);
    steer();
  };

  /** Closes generations up to one of them, in their order: a thread knows only which of its sockets is the oldest. */
  const closeUpTo = async (generation: number) => {
    while (old.length > 0 && old[0]! <= generation) await closeGeneration(old.shift()!);
  };

  return {
    renew: (tls) =>
      inTurn(async () => {
        spread = await addSockets(threads, tls);
        const before = current;
        old.push(before);
        current = made += 1;
        order.add(current);
        // Every open socket gets connections then, also one that was retired before.
        if (!steer()) return closeUpTo(before);
        for (const thread of threads) await thread.retireOld();
        clock.after(retirement, () => void inTurn(() => closeUpTo(before)).catch(report)).unref();
      }),
    stop: () => void (isOver = true),
  };
}

/** Opens a socket in each thread, all or none. Returns what spreads connections over all sockets. */
async function addSockets(threads: Sockets[], tls: Tls): Promise<Spread> {
  const [{ openSockets }, { steerConnections }] = await Promise.all([
    import("./socket-options.ts"),
    import("./handover.ts"),
  ]);
  const before = openSockets();
  const added: Sockets[] = [];
  let opened: number[] = [];
  try {
    for (const thread of threads) {
      await thread.add(tls);
      added.push(thread);
      if (added.length === 1)
        opened = [...openSockets()].filter(([name]) => !before.has(name)).map(([, descriptor]) => descriptor);
    }
  } catch (error) {
    // At the limit of open files: the old certificate stays in use.
    for (const thread of added.toReversed()) await thread.closeNewest();
    throw error;
  }
  // Any other socket that was opened since refuses the option.
  return (first, count) => opened.some((descriptor) => steerConnections(descriptor, first, count));
}

/**
 * The order of the sockets in the kernel, by generations: one socket of each thread with the same certificate. The kernel
 * moves the last socket to the place of one that is closed.
 */
function createOrder(count: number) {
  const generations = [0];
  /** Generations that were moved, one socket after the other, and so are in the opposite order of the threads. */
  const reversed = new Set<number>();
  const placeOf = (generation: number) => generations.indexOf(generation) * count;
  return {
    add: (generation: number) => void generations.push(generation),
    isLast: (generation: number) => generations.at(-1) === generation,
    placeOf,
    /** The first place that has a moved socket once all sockets of a generation but one are closed. */
    placeOfMoved: (generation: number) => placeOf(generation) + (reversed.has(generation) ? 1 : 0),
    /** Gives the last generation the place of one whose sockets are closed. */
    close(generation: number) {
      const last = generations.pop()!;
      if (last !== generation) {
        generations[generations.indexOf(generation)] = last;
        if (!reversed.delete(last)) reversed.add(last);
      }
      reversed.delete(generation);
    },
  };
}
