import { AppError } from "../base/errors.ts";

/** Networks take turns; networks that go first pass all others. */
type Sender = { network: string; isFirst: boolean };

/** Runs work when it is the turn of its sender. Throws `rate_limited` if too much waits. */
export type Turns = <T>(sender: Sender, work: () => Promise<T>) => Promise<T>;

type Waiting = { start: () => void; refuse: (error: AppError) => void };

/**
 * Runs one work at a time, and lets at most `waiting` others wait, `ofNetwork` of each network. Networks take turns,
 * so that a sender waits for one work of each other network, however many those have sent.
 */
export function createFairTurns(waiting: number, ofNetwork: number): Turns {
  /** Waiting work by network, in the order of their turns. */
  const first = new Map<string, Waiting[]>();
  const others = new Map<string, Waiting[]>();
  let total = 0;
  let isRunning = false;

  const startNext = () => {
    const queue = first.size > 0 ? first : others;
    const [next] = queue;
    if (!next) {
      isRunning = false;
      return;
    }
    const [network, works] = next;
    const work = works.shift()!;
    total -= 1;
    queue.delete(network);
    if (works.length > 0) queue.set(network, works);
    work.start();
  };
  /** Refuses the newest work of the network with the most, if that is one of `queue` with more than `least`. */
  const makeRoom = (queue: Map<string, Waiting[]>, least: number): boolean => {
    let [most, found] = [least, ""];
    for (const [network, { length }] of queue) if (length > most) [most, found] = [length, network];
    const works = queue.get(found);
    if (!works) return false;
    works.pop()!.refuse(busy());
    total -= 1;
    if (works.length === 0) queue.delete(found);
    return true;
  };
  const wait = ({ network, isFirst }: Sender): Promise<void> => {
    const queue = isFirst ? first : others;
    const own = queue.get(network) ?? [];
    if (own.length >= ofNetwork) throw busy();
    if (total >= waiting && !(isFirst && makeRoom(others, 0)) && !makeRoom(queue, own.length + 1))
      throw busy();
    return new Promise((start, refuse) => {
      own.push({ start, refuse });
      queue.set(network, own);
      total += 1;
    });
  };

  return async (sender, work) => {
    if (isRunning) await wait(sender);
    isRunning = true;
    try {
      return await work();
    } finally {
      startNext();
    }
  };
}

function busy(): AppError {
  return new AppError("rate_limited", "too many people sign in at once: try again in a moment", {
    reason: "sign-in-busy",
    retryAfter: 1,
  });
}
