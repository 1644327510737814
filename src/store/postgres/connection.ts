import { type Timer, clock } from "../../base/clock.ts";
import { readFileSync } from "node:fs";
import { SQL } from "bun";
import { AppError } from "../../base/errors.ts";
import type { DatabaseAddress } from "./database-url.ts";
import { DeadlineError, UnknownOutcomeError, isLost, isReadOnly, refusesStartupOptions } from "./errors.ts";
import { type Pool, STATEMENT_DEADLINE_MS, createPool } from "./pool.ts";

/** Milliseconds after which a connection that listens and was lost is opened again. */
const LISTEN_AGAIN_MS = 10_000;

/** A client of the driver with one connection. */
type Client = {
  listen: (channel: string, told: () => void, begun: () => void) => Promise<unknown>;
  close: (options: { timeout: number }) => Promise<unknown>;
};

/**
 * Listens on a channel, over connections that `open` opens one after the other, until the returned function is called. `told`
 * is called after each notification, and whenever listening begins, since some may have been missed.
 */
function listenOn(
  channel: string,
  told: () => void,
  open: (onclose: () => void) => Client | null,
): () => void {
  let current: Client | null = null;
  let timer: Timer | undefined;
  const drop = () => {
    // The driver would connect again by itself, and write to the terminal whenever that fails.
    void current?.close({ timeout: 0 }).catch(() => {});
    current = null;
  };
  const begin = () => {
    const opened = open(() => lost());
    const lost = () => {
      if (opened === null || opened !== current) return;
      drop();
      timer = clock.after(LISTEN_AGAIN_MS, begin);
    };
    current = opened;
    // Why the database is not reached is reported where it is read.
    opened?.listen(channel, told, told).catch(lost);
  };
  begin();
  return () => {
    timer?.close();
    drop();
  };
}

/** Sizes of the connection pools of a server, by purpose. Connections of `transactions` and `dump` run nothing else. */
export const POOL_SIZES = { version: 1, reads: 4, inserts: 2, transactions: 2, dump: 1 } as const;

export type PoolName = keyof typeof POOL_SIZES;

/** Seconds for making a connection. Bun tries again until then if a server accepts and closes it. */
const CONNECT_SECONDS = 4;

/** Seconds after which a connection without work is closed, so that a database that stops when idle can stop. */
const IDLE_SECONDS = 60;

/**
 * Options of each connection. A wait for a lock ends before the deadline of the statement. The server ends the
 * transaction of a machine that is gone, for whose locks others wait: statements follow each other at once.
 */
const STARTUP_OPTIONS = {
  application_name: "formflag",
  statement_timeout: "10s",
  lock_timeout: "4s",
  idle_in_transaction_session_timeout: "5s",
};

/** A value as it is sent. Numbers are sent as text: the server infers the type. */
export type Param = string | Uint8Array | null;

/** The rows of a statement with the OIDs of their types, and how many rows it changed. */
export type Result = {
  rows: Record<string, unknown>[];
  columns: readonly { name: string; type: number }[];
  changes: number;
};

/** Runs a statement. Rejects with the error of the server or the driver as it is. */
export type Query = (text: string, params?: readonly Param[]) => Promise<Result>;

export type Connections = {
  /** Runs one statement in a pool of plain queries. */
  query: (pool: PoolName, text: string, params?: readonly Param[], deadline?: number) => Promise<Result>;
  /**
   * Runs statements in one transaction, one after the other. `options` stand behind BEGIN. Rejects with
   * {@link UnknownOutcomeError} if the connection is lost while it commits.
   */
  transaction: <T>(
    options: string,
    body: (query: Query) => Promise<T>,
    settings?: { pool?: "transactions" | "dump"; deadline?: number },
  ) => Promise<T>;
  /**
   * Runs statements on a connection of its own, each for as long as it takes, and closes it. Throws `unsupported` if
   * startup options are off, since behind a pooler no setting holds for the next statement.
   */
  untimed: <T>(body: (query: Query) => Promise<T>) => Promise<T>;
  /** As {@link listenOn}, except behind a pooler, where a connection keeps no setting: `told` is never called there. */
  listen: (channel: string, told: () => void) => () => void;
  /** Replaces every pool; statements under way are finished on the old ones. */
  recycle: () => void;
  /** Closes every connection, after at most five seconds for statements under way. */
  close: () => Promise<void>;
};

/**
 * Creates the pools without opening a connection. A pool opens connections when they are needed, and closes them after
 * a minute without work. With `isSingle`, one connection does everything except dumps, one thing after another, for a
 * command. Throws `invalid` if a certificate cannot be read.
 */
export function createConnections(address: DatabaseAddress, isSingle = false): Connections {
  const ca = address.sslRootCert === null ? undefined : readCertificates(address.sslRootCert);
  let startup: Record<string, string> = address.prepare ? STARTUP_OPTIONS : {};
  const open = (max: number, more: SQL.Options = {}) =>
    new SQL({ ...optionsOf(address, ca), max, connection: startup, ...more });
  const poolOf = (max: number) => createPool(() => open(max), max);
  const only = isSingle ? poolOf(1) : undefined;
  const pools = Object.fromEntries(
    Object.entries(POOL_SIZES).map(([name, max]) => [name, (name !== "dump" && only) || poolOf(max)]),
  ) as Record<PoolName, Pool<SQL>>;
  const recycle = () => {
    for (const pool of Object.values(pools)) pool.replace();
  };

  /** Recycles what an error says is of no use any more, and begins again if nothing can have been done. */
  const using = async <T>(pool: Pool<SQL>, use: (sql: SQL, expire: () => void) => Promise<T>): Promise<T> => {
    try {
      return await pool.use(use);
    } catch (error) {
      if (isReadOnly(error)) recycle();
      if (!refusesStartupOptions(error) || Object.keys(startup).length === 0) throw error;
      startup = {};
      recycle();
      return pool.use(use);
    }
  };

  return {
    query: (name, text, params = [], deadline = STATEMENT_DEADLINE_MS) =>
      using(pools[name], (sql, expire) => within(deadline, expire, () => send(sql, text, params))),
    transaction: (options, body, { pool = "transactions", deadline = STATEMENT_DEADLINE_MS } = {}) =>
      using(pools[pool], (sql, expire) => transact(sql, options, body, deadline, expire)),
    async untimed(body) {
      if (Object.keys(startup).length === 0) throw pooled();
      const connection = { ...STARTUP_OPTIONS, statement_timeout: "0" };
      const sql = new SQL({ ...optionsOf(address, ca), max: 1, connection });
      try {
        // A pooler may ignore the options instead of refusing them.
        const { rows } = await send(sql, "SHOW statement_timeout", []);
        if (rows[0]?.["statement_timeout"] !== "0") throw pooled();
        return await body((text, params = []) => send(sql, text, params));
      } catch (error) {
        throw refusesStartupOptions(error) ? pooled() : error;
      } finally {
        await sql.close();
      }
    },
    listen: (channel, told) =>
      listenOn(channel, told, (onclose) => (Object.keys(startup).length === 0 ? null : open(1, { onclose }))),
    recycle,
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

function pooled(): AppError {
  return new AppError(
    "unsupported",
    "the database is behind a pooler, through which a long statement may be cut",
    {
      reason: "database-pooled",
    },
  );
}

/** Throws `invalid`. */
function readCertificates(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("invalid", `the certificates of the database, ${path}, cannot be read`, {
      reason: "database-url-certificate",
      cause: error,
    });
  }
}

/** Every setting is given, since Bun takes what is missing from variables such as PGDATABASE and DATABASE_URL. */
function optionsOf(address: DatabaseAddress, ca: string | undefined): SQL.Options {
  const { host, port, user, password, database, sslMode, channelBinding, prepare } = address;
  const verifies = sslMode === "verify-ca" || sslMode === "verify-full" || ca !== undefined;
  return {
    adapter: "postgres",
    url: `postgres://localhost/?sslmode=${sslMode === "require" && ca ? "verify-ca" : sslMode}`,
    hostname: host,
    ...(host.startsWith("/") ? { path: host } : {}),
    port,
    username: user,
    password,
    database,
    tls:
      sslMode === "disable"
        ? "disable"
        : verifies
          ? { rejectUnauthorized: true, ...(ca && { ca }) }
          : sslMode,
    channelBinding,
    prepare,
    idleTimeout: IDLE_SECONDS,
    connectionTimeout: CONNECT_SECONDS,
    maxLifetime: 0,
  };
}

async function send(sql: SQL, text: string, params: readonly Param[]): Promise<Result> {
  const result = await sql.unsafe<Record<string, unknown>[]>(text, [...params]);
  return { rows: result, columns: result.columns ?? [], changes: result.affectedRows };
}

async function transact<T>(
  sql: SQL,
  options: string,
  body: (query: Query) => Promise<T>,
  deadline: number,
  expire: () => void,
): Promise<T> {
  let isCommitting = false;
  const watch = createWatch(deadline, expire);
  watch.start();
  const outcome = sql.begin(options, async (connection) => {
    watch.stop();
    const result = await body(async (text, params = []) => {
      watch.start();
      try {
        return await send(connection, text, params);
      } finally {
        watch.stop();
      }
    });
    isCommitting = true;
    watch.start();
    return { result };
  });
  try {
    const { result } = await Promise.race([outcome, watch.expired]);
    return result;
  } catch (error) {
    if (isCommitting && (error instanceof DeadlineError || isLost(error)))
      throw new UnknownOutcomeError("the connection was lost during COMMIT", { cause: error });
    throw error;
  } finally {
    watch.stop();
    // The loser of the race may reject later, when nothing awaits it.
    outcome.catch(() => {});
  }
}

/** A clock that is started for each statement and calls `expire` once one takes too long. */
function createWatch(deadline: number, expire: () => void) {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  expired.catch(() => {});
  let timer: Timer | undefined;
  let turn = 0;
  const stop = () => {
    turn += 1;
    timer?.close();
  };
  const start = () => {
    stop();
    if (deadline === Infinity) return;
    const started = turn;
    const giveUp = () => {
      if (turn !== started) return;
      reject(new DeadlineError("a statement was not answered in time"));
      expire();
    };
    // The answer may have arrived while this process stood still: input is read between two calls of `soon`.
    timer = clock.after(deadline, () => clock.soon(() => clock.soon(giveUp)));
  };
  return { expired, start, stop };
}

async function within<T>(deadline: number, expire: () => void, run: () => Promise<T>): Promise<T> {
  const watch = createWatch(deadline, expire);
  watch.start();
  const outcome = run();
  try {
    return await Promise.race([outcome, watch.expired]);
  } finally {
    watch.stop();
    outcome.catch(() => {});
  }
}
