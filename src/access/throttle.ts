import { AppError } from "../base/errors.ts";

/** Keys kept in memory, of which each is forgotten some time after its last wrong guess. */
const MAX_KEYS = 10_000;

/** Slows down guesses, as at passwords, counted under a key. It locks no user out. */
export type Throttle = {
  /** Throws `rate_limited`, with the seconds to wait, after too many wrong guesses. */
  check: (key: string) => void;
  /** Counts a wrong guess. */
  count: (key: string) => void;
  /** Forgets the wrong guesses of a key. */
  reset: (key: string) => void;
};

/** The noun for wrong guesses in messages, and the reason of the error. */
export type Guesses = { what: string; reason: string };

const PASSWORDS: Guesses = { what: "wrong passwords", reason: "password-throttled" };

/** Wrong guesses that pass, and the seconds in which one of them is forgotten. */
export type Patience = { failures: number; waitSeconds: number };

/** Milliseconds until the next guess, of a key whose last wrong guess is forgotten at that time; not above 0 for none. */
export function waitOf(forgottenAt: number, now: number, { failures, waitSeconds }: Patience): number {
  return forgottenAt - now - (failures - 1) * waitSeconds * 1000;
}

/** When the last wrong guess is forgotten, with one more now: each takes one wait. */
export function forgottenAfter(
  forgottenAt: number,
  now: number,
  { failures, waitSeconds }: Patience,
): number {
  const wait = waitSeconds * 1000;
  return Math.min(Math.max(forgottenAt, now), now + (failures - 1) * wait) + wait;
}

/** A refusal of a guess for so many milliseconds. */
export function tooManyGuesses(left: number, { waitSeconds }: Patience, { what, reason }: Guesses): AppError {
  const retryAfter = Math.min(Math.ceil(left / 1000), waitSeconds);
  const message = `too many ${what}: try again in ${retryAfter} second${retryAfter === 1 ? "" : "s"}`;
  return new AppError("rate_limited", message, { reason, retryAfter });
}

/**
 * A throttle that lets so many wrong guesses of a key pass, and one more after each wait. Counts are kept in memory: each
 * process has its own, and a restart resets them.
 */
export function createThrottle(
  now: () => number,
  failures: number,
  waitSeconds: number,
  guesses = PASSWORDS,
): Throttle {
  const patience = { failures, waitSeconds };
  /** When the last wrong guess of a key is forgotten. */
  const forgottenAt = new Map<string, number>();

  /** For a tenth of the keys, so that not each next one walks through all. */
  const makeRoom = (at: number) => {
    for (const [key, time] of forgottenAt) if (time <= at) forgottenAt.delete(key);
    for (const key of forgottenAt.keys()) {
      if (forgottenAt.size < MAX_KEYS * 0.9) break;
      forgottenAt.delete(key);
    }
  };

  return {
    check(key) {
      const left = waitOf(forgottenAt.get(key) ?? 0, now(), patience);
      if (left > 0) throw tooManyGuesses(left, patience, guesses);
    },
    count(key) {
      const at = now();
      const before = forgottenAt.get(key) ?? 0;
      // The map is in the order of the last wrong guesses.
      forgottenAt.delete(key);
      if (forgottenAt.size >= MAX_KEYS) makeRoom(at);
      forgottenAt.set(key, forgottenAfter(before, at, patience));
    },
    reset: (key) => void forgottenAt.delete(key),
  };
}
