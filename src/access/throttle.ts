import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/sum.ts";
import { SIGN_IN_LIMITS } from "./limits.ts";

/** Names kept in memory, of which each is forgotten within minutes of its last wrong password. */
const MAX_NAMES = 10_000;

/** Slows down guesses at the password of one name, whether or not a user has it. It never locks anybody out. */
export type Throttle = {
  /** Throws `rate_limited`, with the seconds to wait, after too many wrong passwords. */
  check: (name: string) => void;
  /** Counts a wrong password. */
  count: (name: string) => void;
  /** Forgets the wrong passwords for a name. */
  reset: (name: string) => void;
};

/**
 * A throttle that lets ten wrong passwords for a name pass, and one more for each minute after them. Counts are kept in
 * memory: each process has its own, and a restart resets them.
 */
export function createThrottle(now: () => number): Throttle {
  const { failures, waitSeconds } = SIGN_IN_LIMITS;
  const wait = waitSeconds * 1000;
  /** When the last wrong password of a name is forgotten, by the hash of the name: each takes a minute. */
  const forgottenAt = new Map<string, number>();

  const makeRoom = (at: number) => {
    for (const [key, time] of forgottenAt) if (time <= at) forgottenAt.delete(key);
    for (const key of forgottenAt.keys()) {
      if (forgottenAt.size < MAX_NAMES) break;
      forgottenAt.delete(key);
    }
  };

  return {
    check(name) {
      const left = (forgottenAt.get(sha256(name)) ?? 0) - now() - (failures - 1) * wait;
      if (left <= 0) return;
      const retryAfter = Math.min(Math.ceil(left / 1000), waitSeconds);
      const message = `too many wrong passwords: try again in ${retryAfter} second${retryAfter === 1 ? "" : "s"}`;
      throw new AppError("rate_limited", message, { reason: "password-throttled", retryAfter });
    },
    count(name) {
      const at = now();
      const key = sha256(name);
      const before = forgottenAt.get(key) ?? 0;
      // The map is in the order of the last wrong passwords.
      forgottenAt.delete(key);
      if (forgottenAt.size >= MAX_NAMES) makeRoom(at);
      forgottenAt.set(key, Math.min(Math.max(before, at), at + (failures - 1) * wait) + wait);
    },
    reset: (name) => void forgottenAt.delete(sha256(name)),
  };
}
