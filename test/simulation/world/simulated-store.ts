import { AppError } from "../../../src/base/errors.ts";
import { UNKNOWN_OUTCOME } from "../../../src/forms/intake/insertion.ts";
import { type SqliteStore, openSqliteStore } from "../../../src/store/sqlite/store.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** What goes wrong between a process and the database. */
export type DatabaseFaults = {
  /** Once in so many calls; 0 for never. */
  refused: number;
  lostAnswer: number;
  late: number;
  /** Milliseconds that a late answer takes at most. */
  latest: number;
};

export const NO_DATABASE_FAULTS: DatabaseFaults = { refused: 0, lostAnswer: 0, late: 0, latest: 0 };

type Options = {
  file: string;
  process: Process;
  scheduler: Scheduler;
  faults: () => DatabaseFaults;
  /** How long a look is trusted, as with PostgreSQL. */
  staleness: number;
  /** Called before a call is done, which it may refuse by throwing. */
  begin: (name: string, args: unknown[]) => void;
  /** Called once a call has been done, before its answer is under way. */
  done: (name: string, args: unknown[], result: unknown) => void;
  /** Called at a call that goes wrong. */
  troubled: () => void;
};

/** Calls behind which every process knows who is a member. */
const FILLING = /^submissions\.(insert|import|mark|delete|deleteAged|purge)$/;

type Method = (...args: unknown[]) => unknown;

const unavailable = (reason = "database-unavailable") =>
  new AppError("unavailable", "the database does not answer", { reason, retryAfter: 1 });

/**
 * A store on a SQLite file that is as far away as PostgreSQL: each call takes its time, may be refused, and may be done
 * although its answer is lost. Other processes have their turns before and behind it.
 */
export function openSimulatedStore(options: Options): SqliteStore {
  const { file, process, scheduler, faults, staleness } = options;
  const store = openSqliteStore(file, "inline");
  const { chance } = scheduler;
  const watchers: (() => void)[] = [];
  const happens = (times: number) => times > 0 && chance.once(times);

  const troubled = (label: string) => {
    options.troubled();
    // With turns, a process renews its leases.
    if (label.startsWith("deliveries.turn")) process.troubleAt = Math.max(process.troubleAt, scheduler.now());
  };
  const travel = (label: string): Promise<void> => {
    const { late, latest } = faults();
    const isLate = happens(late);
    if (isLate) troubled(label);
    return scheduler.sleep(isLate ? chance.int(latest) : chance.int(4), label, process);
  };
  /** Behind a change that is committed, or may be: no process trusts a look from before it any more. */
  const settle = async () => {
    for (const changed of watchers) changed();
    await scheduler.sleep(staleness + 1, "settle", process);
  };

  let members: number | undefined;
  /** Whether what was done may have changed who is a member of a segment, or another process has meanwhile. */
  const areMembersChanged = async (name: string): Promise<boolean> => {
    if (!FILLING.test(name)) return false;
    const { memberships } = await store.readVersion();
    if (memberships === members) return false;
    members = memberships;
    return true;
  };

  const wrap = (name: string, method: Method): Method => {
    return async (...args) => {
      await travel(`${name}?`);
      if (happens(faults().refused)) {
        troubled(name);
        throw unavailable();
      }
      let result: unknown;
      try {
        options.begin(name, args);
        result = wrapResult(name, await method(...args));
      } catch (error) {
        await travel(`${name} throws`);
        throw error;
      }
      options.done(name, args, result);
      const isChange = name === "apply" || (await areMembersChanged(name));
      await travel(`${name}!`);
      if (happens(faults().lostAnswer)) {
        troubled(name);
        if (isChange) await settle();
        throw unavailable(name === "submissions.insert" ? UNKNOWN_OUTCOME : undefined);
      }
      if (isChange) await settle();
      return result;
    };
  };
  /** What is read later, such as the flags of a selection, is read at a moment of its own. */
  const wrapResult = (name: string, result: unknown): unknown =>
    typeof result === "object" && result !== null && Object.getPrototypeOf(result) === Object.prototype
      ? wrapEach(name, result as Record<string, unknown>)
      : result;
  const wrapEach = <T extends object>(prefix: string, slice: T): T => {
    const entries = Object.entries(slice);
    if (!entries.some(([, value]) => typeof value === "function")) return slice;
    return Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        typeof value === "function" ? wrap(`${prefix}.${key}`, (value as Method).bind(slice)) : value,
      ]),
    ) as T;
  };

  const slices = Object.entries(store).map(([name, slice]: [string, unknown]) => {
    if (typeof slice === "function") return [name, wrap(name, (slice as Method).bind(store))];
    return [name, typeof slice === "object" && slice !== null ? wrapEach(name, slice) : slice];
  });
  const wrapped = Object.fromEntries(slices) as SqliteStore;
  return {
    ...wrapped,
    // It waits for the readers of other connections, which are all of this thread.
    submissions: { ...wrapped.submissions, rewrite: () => travel("rewrite") },
    staleness,
    watch(changed) {
      watchers.push(changed);
      store.watch(changed);
    },
    dump: store.dump.bind(store),
    close: store.close.bind(store),
  };
}
