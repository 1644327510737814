import { SQL } from "bun";
import { setClock } from "../../../src/base/clock.ts";
import { type Connections, createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { type PostgresStore, openPostgresStore } from "../../../src/store/postgres/store.ts";
import { NOW } from "../../support/records/records.ts";

/** One replica with one connection, whose statements wait until they are let through. */
export type Actor = {
  name: string;
  store: PostgresStore;
  pid: number;
  /** `waiting` has a statement that was not sent yet, `running` does something, perhaps in the database. */
  state: "idle" | "waiting" | "running";
  proceed: () => void;
};

export type Stage = {
  actors: Actor[];
  /** A connection beside, which is not held. */
  sql: SQL;
  /** Holds the statements from now on. */
  hold: (isHeld: boolean) => void;
  /** Fulfils once an actor has another state. */
  changed: () => Promise<void>;
  tell: () => void;
  /** Puts back the clock, too. */
  close: () => Promise<void>;
};

/**
 * Opens replicas on a database, which looks at once whether transactions wait in a circle. Pauses between two attempts of the
 * product pass at once, and its clock stands still.
 */
export async function openStage(url: string, count: number): Promise<Stage> {
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '1ms'`);
  setClock({ now: () => NOW, sleep: () => Promise.resolve(), fraction: () => 0 });
  let isHeld = false;
  let next = Promise.withResolvers<void>();
  const stage: Stage = {
    actors: [],
    sql,
    hold: (held) => void (isHeld = held),
    changed: () => next.promise,
    tell() {
      next.resolve();
      next = Promise.withResolvers();
    },
    async close() {
      isHeld = false;
      setClock();
      for (const { store } of stage.actors) await store.close();
      await sql.close();
    },
  };
  const wait = (actor: Actor): Promise<void> => {
    if (!isHeld) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    actor.state = "waiting";
    actor.proceed = () => {
      actor.state = "running";
      resolve();
    };
    stage.tell();
    return promise;
  };
  for (let index = 0; index < count; index += 1) {
    const actor = { name: "ABC"[index]!, state: "idle", proceed: () => {} } as Actor;
    let own: Connections | undefined;
    actor.store = await openPostgresStore(parseDatabaseUrl(url), {
      staleness: 0,
      isSingle: true,
      connect: (address, isSingle) => (own = held(createConnections(address, isSingle), () => wait(actor))),
    });
    const { rows } = await own!.query("reads", "SELECT pg_backend_pid() AS pid");
    actor.pid = Number(rows[0]!["pid"]);
    stage.actors.push(actor);
  }
  return stage;
}

/** Connections that wait before each statement and before COMMIT. A transaction sees nothing before its first statement. */
function held(connections: Connections, wait: () => Promise<void>): Connections {
  return {
    ...connections,
    async query(...args) {
      await wait();
      return connections.query(...args);
    },
    transaction: (options, body, settings) =>
      connections.transaction(
        options,
        async (query) => {
          const result = await body(async (text, params) => {
            await wait();
            return query(text, params);
          });
          await wait();
          return result;
        },
        settings,
      ),
  };
}
