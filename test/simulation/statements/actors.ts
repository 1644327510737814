import { SQL } from "bun";
import { setClock } from "../../../src/base/clock.ts";
import { type Connections, createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { type PostgresStore, openPostgresStore } from "../../../src/store/postgres/store.ts";
import { NOW } from "../../support/records/records.ts";
import { type Footprint, type Footprints, addFootprint, noFootprint, readFootprints } from "./footprints.ts";

/** One replica with one connection, whose statements wait until they are let through. */
export type Actor = {
  name: string;
  store: PostgresStore;
  pid: number;
  /** What it waits to do, or does. */
  step: Step;
  /** What its transaction has touched so far; null outside of one. */
  touched: Footprint | null;
  /** `waiting` has a statement that was not sent yet, `running` does something, perhaps in the database. */
  state: "idle" | "waiting" | "running";
  proceed: () => void;
};

/** A statement, which may be a transaction of its own, or a commit. */
type Step = { footprint: Footprint; isStatement: boolean; isAlone: boolean };

export type Stage = {
  actors: Actor[];
  footprints: Footprints;
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
    footprints: await readFootprints(sql),
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
  const wait = (actor: Actor, step: Step): Promise<void> => {
    actor.step = step;
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
    const actor = {
      name: "ABC"[index]!,
      step: { footprint: noFootprint(), isStatement: false, isAlone: true },
      touched: null,
      state: "idle",
      proceed: () => {},
    } as unknown as Actor;
    let own: Connections | undefined;
    actor.store = await openPostgresStore(parseDatabaseUrl(url), {
      staleness: 0,
      isSingle: true,
      connect: (address, isSingle) =>
        (own = held(createConnections(address, isSingle), actor, stage.footprints, wait)),
    });
    const { rows } = await own!.query("reads", "SELECT pg_backend_pid() AS pid");
    actor.pid = Number(rows[0]!["pid"]);
    stage.actors.push(actor);
  }
  return stage;
}

/** Connections that wait before each statement and before COMMIT. A transaction sees nothing before its first statement. */
function held(
  connections: Connections,
  actor: Actor,
  { of, ofAll }: Footprints,
  wait: (actor: Actor, step: Step) => Promise<void>,
): Connections {
  return {
    ...connections,
    async query(...args) {
      await wait(actor, { footprint: of(args[1]), isStatement: true, isAlone: true });
      return connections.query(...args);
    },
    transaction: (options, body, settings) =>
      connections.transaction(
        options,
        async (query) => {
          const isAtOnce = options.includes("REPEATABLE READ");
          actor.touched = noFootprint();
          try {
            const result = await body(async (text, params) => {
              const footprint = isAtOnce ? ofAll() : of(text);
              await wait(actor, { footprint, isStatement: true, isAlone: false });
              addFootprint(actor.touched!, footprint);
              return query(text, params);
            });
            await wait(actor, { footprint: actor.touched, isStatement: false, isAlone: false });
            return result;
          } finally {
            actor.touched = null;
          }
        },
        settings,
      ),
  };
}
