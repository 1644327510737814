import { AppError } from "../base/errors.ts";
import type { Author, Caller } from "./caller.ts";

/** What is to be changed, in this order, and the answer once it is. */
export type Plan<C, T> = { changes: C[]; result: T };

/** The version of the setup that a plan starts from, and the time of its changes in milliseconds since 1970. */
export type Moment = { version: number; at: number };

/** The slice of the store through which the setup changes; `C` are the changes of one area. */
export type ChangeStore<C> = {
  /** Grows by one with every change of the setup, by whichever process. */
  version(): Promise<number>;
  /**
   * Makes all of the changes or none; the first one makes the version `version + 1`. Throws `conflict` with the reason
   * `outdated` where the setup is at another version.
   */
  apply(changes: readonly C[], version: number, by: Author): Promise<void>;
};

/** How often a change is planned again because others came first. */
const MAX_TRIES = 100;

/** Changes that came too late once, by store: they wait for each other, or most of them would be late again. */
const late = new WeakMap<object, Promise<unknown>>();

/**
 * The one way to change the setup: `plan` reads it, checks rights, locks and rules on what it read, and says what to
 * change; the store applies that only where nothing else has changed meanwhile. Otherwise `plan` is called again, so
 * it has no effect of its own. Throws what it throws.
 */
export async function change<C, T>(
  { store, now }: { store: ChangeStore<C>; now: () => number },
  caller: Pick<Caller, "name" | "verify">,
  plan: (moment: Moment) => Promise<Plan<C, T>>,
): Promise<T> {
  /** Returns undefined where another change came first. */
  const attempt = async (isLast: boolean): Promise<{ result: T } | undefined> => {
    const moment = { version: await store.version(), at: now() };
    try {
      await caller.verify();
      const { changes, result } = await plan(moment);
      if (changes.length > 0) await store.apply(changes, moment.version, { who: caller.name, at: moment.at });
      return { result };
    } catch (error) {
      if (!(error instanceof AppError) || isLast) throw error;
      // Also where the plan failed on what it read before and after another change.
      if (error.reason !== "outdated" && (await store.version()) === moment.version) throw error;
      return undefined;
    }
  };
  const retry = async (): Promise<T> => {
    for (let tries = 2; ; tries += 1) {
      const done = await attempt(tries === MAX_TRIES);
      if (done) return done.result;
    }
  };

  const done = await attempt(false);
  if (done) return done.result;
  const turn = (late.get(store) ?? Promise.resolve()).then(retry);
  late.set(
    store,
    turn.catch(() => {}),
  );
  return turn;
}
