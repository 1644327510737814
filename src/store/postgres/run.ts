import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Answer, Cut, Step, Work } from "../sql/work.ts";
import type { Connections, PoolName, Query } from "./connection.ts";
import { isLost, isParentGone, isRepeatable, postgresError } from "./errors.ts";
import { type Translated, translate } from "./translate.ts";
import { paramOf, rowsOf } from "./values.ts";

/** How often a transaction is tried that others end. */
export const MAX_TRIES = 5;

/** Milliseconds within which the version is read. */
const VERSION_DEADLINE_MS = 1000;

/** Creates the work for each attempt. */
type MakeWork<T> = () => Work<T>;

/** Ways to run work. Each throws `conflict` and `unavailable`, and any error that is a bug as it is. */
export type Units = {
  /** The version of the setup, on a connection of its own, within a second. */
  version: <T>(work: MakeWork<T>) => Promise<T>;
  /** Statement by statement, each as of its own moment. Only for work that changes nothing. */
  read: <T>(work: MakeWork<T>) => Promise<T>;
  /** One statement, which may change something. If the connection is lost, it may be done twice. */
  single: <T>(work: MakeWork<T>) => Promise<T>;
  /** As of one moment. Only for work that changes nothing. */
  readAtOnce: <T>(work: MakeWork<T>) => Promise<T>;
  /** All or nothing. */
  write: <T>(work: MakeWork<T>) => Promise<T>;
  /** As `write`, one after another on all replicas: for all that raises the version. */
  writeSetup: <T>(work: MakeWork<T>) => Promise<T>;
};

/** Runs work on the connections. */
export function createUnits(connections: Connections): Units {
  const inPool = (pool: PoolName, deadline?: number): Query => {
    return (text, params) => connections.query(pool, text, params, deadline);
  };
  const inTransaction = <T>(options: string, work: MakeWork<T>, first?: string): Promise<T> =>
    repeated(() =>
      connections.transaction(options, async (query) => {
        if (first !== undefined) await query(first);
        return runWork(query, work());
      }),
    );
  return {
    version: (work) => repeated(() => runWork(inPool("version", VERSION_DEADLINE_MS), work())),
    read: (work) => repeated(() => runWork(inPool("reads"), work())),
    single: (work) => repeated(() => runWork(inPool("reads"), work())),
    readAtOnce: (work) => inTransaction("ISOLATION LEVEL REPEATABLE READ READ ONLY", work),
    write: (work) => inTransaction("ISOLATION LEVEL READ COMMITTED", work),
    writeSetup: (work) => inTransaction("ISOLATION LEVEL READ COMMITTED", work, LOCK_SETUP),
  };
}

/** Makes changes to the setup wait for each other. */
const LOCK_SETUP = "SELECT version FROM setup_version WHERE id = 1 FOR UPDATE";

/**
 * Does a work with one statement in flight and returns its result. A row that exists already is thrown into the work as
 * `conflict`; any other error ends it.
 */
export async function runWork<T>(query: Query, work: Work<T>): Promise<T> {
  let next = work.next();
  while (next.done !== true) {
    let answer: Answer;
    try {
      answer = await perform(query, next.value);
    } catch (error) {
      const known = postgresError(error);
      if (!(known instanceof AppError && known.code === "conflict")) throw error;
      next = work.throw(known);
      continue;
    }
    next = work.next(answer);
  }
  return next.value;
}

async function perform(query: Query, { sql, params, reads, cut }: Step): Promise<Answer> {
  const { text, names } = translated(sql, cut);
  const values = names.map((name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`no value for $${name}: ${sql}`);
    return paramOf(value);
  });
  const result = await query(text, values);
  return reads ? { rows: rowsOf(result), changes: 0 } : { rows: [], changes: result.changes };
}

const known = new Map<string, Translated>();

/** Each text is translated once: the texts of statements are fixed. */
function translated(sql: string, cut: Cut | null): Translated {
  const key = cut === null ? sql : `${cut.columns.join()} ${cut.bytes} ${sql}`;
  let found = known.get(key);
  if (!found) known.set(key, (found = translate(sql, cut)));
  return found;
}

/**
 * Tries again what others ended, a little later, and once what a lost connection ended before anything was committed.
 * Throws what a caller can cause as an AppError.
 */
async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  let isLostBefore = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (isLost(error) && !isLostBefore) isLostBefore = true;
      else if ((isRepeatable(error) || isParentGone(error)) && tries < MAX_TRIES)
        await clock.sleep(clock.fraction() * 10 * 2 ** tries);
      else throw postgresError(error);
    }
  }
}
