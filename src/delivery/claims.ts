import { BULK_LANE, type Lane, MAIL_LANE, MAIL_LANES, laneOf } from "./delivery.ts";
import { postponed } from "./settle.ts";
import type { ClaimedDelivery, SettledDelivery } from "./store.ts";

/** Deliveries that are sent at a time: in all, and to one receiver. */
const MAX_RUNNING = 8;
const MAX_RUNNING_TO_ONE = 2;
/** Mails that may go before a welcome that waits. */
const MAX_AHEAD = 4;
/** The longest that deliveries to a receiver wait because another one failed. */
const MAX_PAUSE_MS = 30_000;

/** The receiver of a delivery, by the name of a lane: all mail goes through one server. */
function receiverOf(delivery: ClaimedDelivery): Lane {
  const lane = laneOf(delivery);
  return MAIL_LANES.includes(lane) ? MAIL_LANE : lane;
}

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
  /** The lanes to whose receiver nothing is sent for now. */
  pausedLanes: () => Lane[];
  /** When receivers that were paused are sent to again, in milliseconds since 1970. */
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
  /** Queues what waits for the receiver of a delivery again, and sends none of it until a time in milliseconds since 1970. */
  pause: (delivery: ClaimedDelivery, until: number) => void;
  /** Queues everything that waits again. */
  postponeAll: () => void;
};

/** Creates an empty set of claims; `now` is in milliseconds since 1970. */
export function createClaims(now: () => number): Claims {
  /** In the order in which they are sent. */
  let waiting: ClaimedDelivery[] = [];
  /** The receivers of what is being sent. */
  const running = new Map<string, Lane>();
  let settled: SettledDelivery[] = [];
  /** Until when nothing is sent to a receiver. */
  const paused = new Map<Lane, number>();
  /** Mails that went since the last welcome. */
  let ahead = 0;

  const countOf = (lane: Lane, lanes: Iterable<Lane>) =>
    [...lanes].reduce((count, each) => count + (each === lane ? 1 : 0), 0);
  const postpone = (receiver: Lane, until: number) => {
    const isHeld = (each: ClaimedDelivery) => receiverOf(each) === receiver;
    settled.push(...waiting.filter(isHeld).map((each) => postponed(each, until)));
    waiting = waiting.filter((each) => !isHeld(each));
  };
  /** The place of the mail that is sent next; that of the first, `at`, if no other goes before it. */
  const nextMail = (at: number) => {
    const preferred = ahead < MAX_AHEAD ? MAIL_LANE : BULK_LANE;
    const place = waiting.findIndex((each) => laneOf(each) === preferred);
    return place === -1 ? at : place;
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
      for (const [receiver, until] of paused)
        if (until <= now() || until > now() + MAX_PAUSE_MS) paused.delete(receiver);
      return [...paused.keys()].flatMap((receiver) => (receiver === MAIL_LANE ? MAIL_LANES : receiver));
    },
    pauseEnds: () => [...paused.values()],
    ids: () => [...waiting.map(({ id }) => id), ...running.keys()],
    add(claimed) {
      // One that is known has lost its lease, for example because its target was disabled and enabled again.
      const isKnown = ({ id }: ClaimedDelivery) =>
        running.has(id) || [...waiting, ...settled].some((each) => each.id === id);
      waiting.push(...claimed.filter((each) => !isKnown(each)));
      // A receiver may have failed during the claim.
      for (const [receiver, until] of paused) postpone(receiver, until);
    },
    next() {
      if (running.size >= MAX_RUNNING) return undefined;
      const isReady = (each: ClaimedDelivery) =>
        countOf(receiverOf(each), running.values()) < MAX_RUNNING_TO_ONE;
      const at = waiting.findIndex(isReady);
      if (at === -1) return undefined;
      const isMail = receiverOf(waiting[at]!) === MAIL_LANE;
      const delivery = waiting.splice(isMail ? nextMail(at) : at, 1)[0]!;
      if (isMail) ahead = laneOf(delivery) === BULK_LANE ? 0 : ahead + 1;
      running.set(delivery.id, receiverOf(delivery));
      return delivery;
    },
    end: ({ id }) => void running.delete(id),
    settle: (...results) => void settled.push(...results),
    takeSettled() {
      const taken = settled;
      settled = [];
      return taken;
    },
    pause(delivery, until) {
      const receiver = receiverOf(delivery);
      const end = Math.max(Math.min(until, now() + MAX_PAUSE_MS), paused.get(receiver) ?? 0);
      paused.set(receiver, end);
      postpone(receiver, end);
    },
    postponeAll: () => void settled.push(...waiting.splice(0).map((each) => postponed(each, now()))),
  };
}
