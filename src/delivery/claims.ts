import { type Lane, laneOf } from "./delivery.ts";
import { postponed } from "./settle.ts";
import type { ClaimedDelivery, SettledDelivery } from "./store.ts";

/** Deliveries that are sent at a time: in all, and of one lane. */
const MAX_RUNNING = 8;
const MAX_RUNNING_OF_LANE = 2;
/** The longest that deliveries of a lane wait because another one failed. */
const MAX_PAUSE_MS = 30_000;

/** The deliveries that an outbox has claimed, until their results are recorded. */
export type Claims = {
  isEmpty: () => boolean;
  isAnyRunning: () => boolean;
  /** Whether there are results to record, and room to send more. */
  isDue: () => boolean;
  /** How many wait to be sent. */
  waiting: () => number;
  /** The lanes of which at least `count` wait. */
  lanesWith: (count: number) => Lane[];
  /** The lanes of which nothing is sent for now. */
  pausedLanes: () => Lane[];
  /** When lanes that were paused are sent again, in milliseconds since 1970. */
  pauseEnds: () => number[];
  /** The deliveries whose leases are to be kept. */
  ids: () => string[];
  /** Adds what was claimed. */
  add: (claimed: readonly ClaimedDelivery[]) => void;
  /** The next delivery to send, which counts as running from then on; undefined if none may be sent now. */
  next: () => ClaimedDelivery | undefined;
  /** Ends the run of a delivery. */
  end: (delivery: ClaimedDelivery) => void;
  /** Adds results that are to be recorded. */
  settle: (...results: SettledDelivery[]) => void;
  /** Removes and returns the results that are to be recorded. */
  takeSettled: () => SettledDelivery[];
  /** Queues what waits of a lane again, and sends none of it until a time in milliseconds since 1970. */
  pause: (lane: Lane, until: number) => void;
  /** Queues everything that waits again. */
  postponeAll: () => void;
};

/** Creates an empty set of claims; `now` is in milliseconds since 1970. */
export function createClaims(now: () => number): Claims {
  /** In the order in which they are sent. */
  let waiting: ClaimedDelivery[] = [];
  const running = new Map<string, Lane>();
  let settled: SettledDelivery[] = [];
  /** Until when nothing of a lane is sent. */
  const paused = new Map<Lane, number>();

  const countOf = (lane: Lane, lanes: Iterable<Lane>) =>
    [...lanes].reduce((count, each) => count + (each === lane ? 1 : 0), 0);
  const postpone = (lane: Lane, until: number) => {
    const isHeld = (each: ClaimedDelivery) => laneOf(each) === lane;
    settled.push(...waiting.filter(isHeld).map((each) => postponed(each, until)));
    waiting = waiting.filter((each) => !isHeld(each));
  };

  return {
    isEmpty: () => running.size + waiting.length + settled.length === 0,
    isAnyRunning: () => running.size > 0,
    isDue: () => settled.length > 0 && running.size < MAX_RUNNING,
    waiting: () => waiting.length,
    lanesWith(count) {
      const lanes = waiting.map(laneOf);
      return [...new Set(lanes)].filter((lane) => countOf(lane, lanes) >= count);
    },
    pausedLanes() {
      // A pause that ends later than any can is from before the clock was set back.
      for (const [lane, until] of paused)
        if (until <= now() || until > now() + MAX_PAUSE_MS) paused.delete(lane);
      return [...paused.keys()];
    },
    pauseEnds: () => [...paused.values()],
    ids: () => [...waiting.map(({ id }) => id), ...running.keys()],
    add(claimed) {
      // One that is known has lost its lease, for example because its target was disabled and enabled again.
      const isKnown = ({ id }: ClaimedDelivery) =>
        running.has(id) || [...waiting, ...settled].some((each) => each.id === id);
      waiting.push(...claimed.filter((each) => !isKnown(each)));
      // A lane may have failed during the claim.
      for (const [lane, until] of paused) postpone(lane, until);
    },
    next() {
      if (running.size >= MAX_RUNNING) return undefined;
      const isReady = (each: ClaimedDelivery) =>
        countOf(laneOf(each), running.values()) < MAX_RUNNING_OF_LANE;
      const at = waiting.findIndex(isReady);
      if (at === -1) return undefined;
      const [delivery] = waiting.splice(at, 1);
      running.set(delivery!.id, laneOf(delivery!));
      return delivery;
    },
    end: ({ id }) => void running.delete(id),
    settle: (...results) => void settled.push(...results),
    takeSettled() {
      const taken = settled;
      settled = [];
      return taken;
    },
    pause(lane, until) {
      const end = Math.max(Math.min(until, now() + MAX_PAUSE_MS), paused.get(lane) ?? 0);
      paused.set(lane, end);
      postpone(lane, end);
    },
    postponeAll: () => void settled.push(...waiting.splice(0).map((each) => postponed(each, now()))),
  };
}
