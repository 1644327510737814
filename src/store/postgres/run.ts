import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Answer, Cut, Step, Work, Value } from "../sql/work.ts";
import type { Connections, PoolName, Query, Param, Result } from "./connection.ts";
import { isLost, isParentGone, isRepeatable, postgresError } from "./errors.ts";
import { type Translated, translate, BYTES_BEFORE } from "./translate.ts";

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

/** OIDs of types (https://www.postgresql.org/docs/current/datatype-oid.html). */
const BOOLEAN = 16;
const BYTEA = 17;
const BIGINT = 20;
const NUMERIC = 1700;
const TEXTS = new Set([25, 1042, 1043]);

/** A character that no Unicode text means anything by. It stands before what is stored in the place of NUL and of itself. */
const MARK = "\u{10FFFF}";

/** A text as it is stored: PostgreSQL refuses NUL. Texts without NUL, which are all but hostile ones, stay as they are. */
function storeText(text: string): string {
  if (!text.includes("\0") && !text.includes(MARK)) return text;
  return text.replaceAll(MARK, `${MARK}1`).replaceAll("\0", `${MARK}0`);
}

/** Reverses {@link storeText}. */
function readText(stored: string): string {
  if (!stored.includes(MARK)) return stored;
  return stored.replaceAll(`${MARK}0`, "\0").replaceAll(`${MARK}1`, MARK);
}

/** A value of a statement as it is sent. */
function paramOf(value: Value): Param {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? storeText(value) : value;
}

/** The rows of a result as SQLite gives them: numbers, texts, bytes and null. Throws on a number past the safe integers. */
function rowsOf({ rows, columns }: Result): Record<string, Value>[] {
  const convert = columns.flatMap(({ name, type }) => {
    const converter = CONVERTERS[type] ?? (TEXTS.has(type) ? textOf : null);
    return converter === null ? [] : [[name, converter] as const];
  });
  const isCut = columns.some(({ name }) => name === BYTES_BEFORE);
  for (const row of rows) {
    for (const [name, converter] of convert) {
      const value = row[name];
      if (value !== null) row[name] = converter(value);
    }
    if (isCut) delete row[BYTES_BEFORE];
  }
  // The list of the runtime is of a class of its own, with members that others would see.
  return Array.from(rows) as Record<string, Value>[];
}

const CONVERTERS: Record<number, (value: unknown) => Value> = {
  [BOOLEAN]: (value) => (value === true ? 1 : 0),
  [BYTEA]: bytesOf,
  [BIGINT]: numberOf,
  [NUMERIC]: numberOf,
};

function textOf(value: unknown): string {
  return readText(value as string);
}

function bytesOf(value: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = value as Buffer;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function numberOf(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER)
    throw new Error(`${String(value)} is not a safe number`);
  return number;
}
