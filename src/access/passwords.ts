import { AppError } from "../base/errors.ts";
import { SIGN_IN_LIMITS } from "./limits.ts";
import { HASHING, isPossible, normalisePassword } from "./password.ts";
import type { AccessApp } from "./store.ts";
import { type Throttle, createThrottle } from "./throttle.ts";

/** Runs work when it is its turn. Throws `rate_limited` where too much waits. */
type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** What the passwords of one database share in this process. */
const guards = new WeakMap<object, { throttle: Throttle; turns: Turns }>();

function guardOf({ store, now }: AccessApp) {
  let guard = guards.get(store);
  if (!guard) {
    const { hashes, waiting } = SIGN_IN_LIMITS;
    guards.set(store, (guard = { throttle: createThrottle(now), turns: createTurns(hashes, waiting) }));
  }
  return guard;
}

/** Runs `atOnce` works at a time, since each hash takes 19 MiB of memory, while at most `waiting` others wait. */
export function createTurns(atOnce: number, waiting: number): Turns {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else {
      if (queue.length >= waiting) {
        throw new AppError("rate_limited", "too many people sign in at once: try again in a moment", {
          reason: "sign-in-busy",
          retryAfter: 1,
        });
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** The hash of a normalised password. Throws `rate_limited`. */
export function hashPassword(app: AccessApp, password: string): Promise<string> {
  return guardOf(app).turns(() => Bun.password.hash(password, HASHING));
}

/** The hash of a random password: an unknown name takes as long as a known one. */
const NOBODYS =
  "$argon2id$v=19$m=19456,t=2,p=1$wz4oiTL8HtTINLFdXw5Z7l5GySjvr0lIsq53OvGnUhE$Z69T7Uczc/HBfqJKfl9XtMfQrqYIe/eP/d1e8o+x17M";

/**
 * The hash of the password of a user, if `password` is that password; null where it is not, where the user has none, and
 * where no user has the name. Throws `rate_limited`, by the name alone: a known one, an unknown one and the right password
 * are treated alike.
 */
export async function verifyPassword(app: AccessApp, name: string, password: string): Promise<string | null> {
  const { throttle, turns } = guardOf(app);
  throttle.check(name);
  return turns(async () => {
    // Others may have failed while this one waited.
    throttle.check(name);
    const given = normalisePassword(password);
    const hash = isPossible(given) ? await app.store.users.password(name) : null;
    const isRight = await Bun.password.verify(isPossible(given) ? given : "-", hash ?? NOBODYS);
    if (hash === null || !isRight) {
      throttle.count(name);
      return null;
    }
    throttle.reset(name);
    return hash;
  });
}
