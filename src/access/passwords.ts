import { DAY_MS } from "../base/days.ts";
import { sha256 } from "../base/sum.ts";
import { hashOnThread } from "./hashes.ts";
import { SIGN_IN_LIMITS } from "./limits.ts";
import { typedPassword } from "./password.ts";
import type { AccessApp } from "./store.ts";
import { type Throttle, createThrottle } from "./throttle.ts";
import { type Turns, createFairTurns } from "./turns.ts";

/** State of password checks, shared by all sign-ins to one database in this process. */
type Guard = {
  turns: Turns;
  /** Wrong passwords for a name from a network, and from a network for any name. */
  guesses: Throttle;
  failures: Throttle;
  /** Networks, and names in them, that signed in within the last days. */
  lately: Lately;
};

const guards = new WeakMap<object, Guard>();

function guardOf({ store, now }: AccessApp): Guard {
  let guard = guards.get(store);
  if (!guard) {
    const { waiting, waitingOfNetwork } = SIGN_IN_LIMITS;
    const { failures, waitSeconds, failuresOfNetwork, networkWaitSeconds } = SIGN_IN_LIMITS;
    guard = {
      turns: createFairTurns(waiting, waitingOfNetwork),
      guesses: createThrottle(now, failures, waitSeconds),
      failures: createThrottle(now, failuresOfNetwork, networkWaitSeconds),
      lately: createLately(now),
    };
    guards.set(store, guard);
  }
  return guard;
}

type Lately = { has: (key: string) => boolean; add: (key: string) => void };

/** Keys that were added within the last days; of too many, the oldest are forgotten. */
function createLately(now: () => number): Lately {
  const { lateDays, lateKeys } = SIGN_IN_LIMITS;
  const times = new Map<string, number>();
  return {
    has: (key) => now() - (times.get(key) ?? 0) < lateDays * DAY_MS,
    add(key) {
      times.delete(key);
      const [oldest] = times.keys();
      if (times.size >= lateKeys) times.delete(oldest!);
      times.set(key, now());
    },
  };
}

/** The network of this machine, whose wrong passwords count for each name alone, as it has no limit of wrong tokens. */
const THIS_MACHINE = "";

function keysOf(name: string, network: string | null) {
  return { network: network ?? THIS_MACHINE, pair: sha256(JSON.stringify([network, name])) };
}

/** Records that a user signed in from a network, which then goes first. */
export function noteSignIn(app: AccessApp, name: string, network: string | null): void {
  const { lately } = guardOf(app);
  for (const key of Object.values(keysOf(name, network))) lately.add(key);
}

/** The hash of a normalised password that is set in a session. Throws `rate_limited`. */
export async function hashPassword(app: AccessApp, password: string, session: string): Promise<string> {
  const sender = { network: session, isFirst: true };
  const hash = await guardOf(app).turns(sender, () => hashOnThread({ password, hash: null }));
  return hash as string;
}

/** The hash of a random password: an unknown name takes as long as a known one. */
const NOBODYS =
  "$argon2id$v=19$m=19456,t=2,p=1$wz4oiTL8HtTINLFdXw5Z7l5GySjvr0lIsq53OvGnUhE$Z69T7Uczc/HBfqJKfl9XtMfQrqYIe/eP/d1e8o+x17M";

/**
 * The hash of the password of a user, if `password` is that password; null if it is not, where the user has none, and
 * if no user has the name. Throws `rate_limited`, by the name and the network alone: a known name, an unknown one and the
 * right password are treated alike, and guesses from one network never keep a user out who signs in from another.
 */
export async function verifyPassword(
  app: AccessApp,
  name: string,
  password: string,
  from: string | null,
): Promise<string | null> {
  const { turns, guesses, failures, lately } = guardOf(app);
  const { network, pair } = keysOf(name, from);
  const check = () => {
    guesses.check(pair);
    // Wrong passwords of others in the same network do not keep out who signed in there lately.
    if (network !== THIS_MACHINE && !lately.has(pair)) failures.check(network);
  };
  check();
  const given = typedPassword(password);
  return turns({ network, isFirst: lately.has(network) }, async () => {
    // Others may have failed while this one waited.
    check();
    const hash = given === null ? null : await app.store.users.password(name);
    const isRight = await hashOnThread({ password: given ?? "-", hash: hash ?? NOBODYS });
    if (hash === null || isRight === false) {
      guesses.count(pair);
      failures.count(network);
      return null;
    }
    guesses.reset(pair);
    return hash;
  });
}
