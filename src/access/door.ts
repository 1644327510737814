import { clock } from "../base/clock.ts";
import { isShared } from "../base/changes.ts";
import { AppError } from "../base/errors.ts";
import { type Acting, type Author, type Caller, authorOf } from "./caller.ts";

/**
 * Changes to apply, in this order, and the result to return once they are applied. A plan that only says what would change
 * is a dry run, and has none.
 */
export type Plan<C, T> = { changes: C[]; result: T; isDryRun?: boolean };

/** The version of the setup that a plan is based on, and the time of its changes in milliseconds since 1970. */
export type Moment = { version: number; at: number };

/** The slice of the store through which the setup changes; `C` are the changes of one area. */
export type ChangeStore<C> = {
  /** The version grows by one with every change of the setup, by whichever process. */
  readVersion(): Promise<{ version: number }>;
  /** Milliseconds for which another process may still serve what was before a change. */
  readonly staleness: number;
  /**
   * Applies all of the changes or none. The first one has the revision `version + 1`. Throws `conflict` with the reason
   * `outdated` if the setup is at another version.
   */
  apply(changes: readonly C[], version: number, by: Author): Promise<void>;
};

/** How many times a change is planned before it fails because other changes are applied first. */
const MAX_TRIES = 100;

/** The last retry of each store: retries run one after the other, because most parallel ones would be outdated again. */
const retries = new WeakMap<object, Promise<unknown>>();

/**
 * Changes the setup; nothing else does. `plan` reads the setup, checks rights, locks and rules, and returns the
 * changes, which the store applies only if the setup is still at the same version. Otherwise `plan` is called again, so
 * it must not have side effects. Throws what `plan` throws, `unauthenticated`, and `conflict` after many attempts.
 */
export async function change<C, T>(
  { store, now }: { store: ChangeStore<C>; now: () => number },
  caller: Acting & Pick<Caller, "verify">,
  plan: (moment: Moment) => Promise<Plan<C, T>>,
): Promise<T> {
  /** Returns undefined if another change was applied first. */
  const attempt = async (isLast: boolean): Promise<{ result: T } | undefined> => {
    const moment = { version: (await store.readVersion()).version, at: now() };
    try {
      await caller.verify();
      const { changes: planned, result, isDryRun = false } = await plan(moment);
      const changes = isDryRun || !caller.review ? planned : await caller.review.settle(planned, moment);
      if (changes === null) return { result };
      const by = authorOf(caller, moment.at);
      // A review adds changes of its own.
      if (changes.length > 0) await store.apply(changes as readonly C[], moment.version, by);
      // The unchanged state may be a change that another process applied a moment ago and died of: wait as after a
      // change.
      else if (!isDryRun && isShared(store)) await clock.sleep(store.staleness + 1);
      return { result };
    } catch (error) {
      // The answer may be lost of a change that was applied: another attempt would make it twice, or refuse it.
      if (!(error instanceof AppError) || error.code === "unavailable" || isLast) throw error;
      // The plan may have failed because another change was applied between two of its reads.
      if (error.reason !== "outdated" && (await store.readVersion()).version === moment.version) throw error;
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
  const retried = (retries.get(store) ?? Promise.resolve()).then(retry);
  retries.set(
    store,
    retried.catch(() => {}),
  );
  return retried;
}
