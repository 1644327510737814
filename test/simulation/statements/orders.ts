import type { Chance } from "../chance.ts";
import type { Actor, Stage } from "./actors.ts";

/** Chooses the actor whose statement goes next. */
export type Choose = (waiting: Actor[]) => Actor;

/** Milliseconds after which the database is asked whether a statement waits for a lock. */
const PATIENCE = 1;
/** Milliseconds after which nothing goes on any more. */
const STUCK = 10_000;

export type Ran = { answers: Promise<unknown>[]; order: string };

/** Runs the work of each actor, one statement at a time. Throws if nothing goes on although nothing is done. */
export async function runInOrder(
  stage: Stage,
  works: ((actor: Actor) => Promise<unknown>)[],
  choose: Choose,
): Promise<Ran> {
  const own = stage.actors.slice(0, works.length);
  let order = "";
  stage.hold(true);
  try {
    const answers = works.map((work, index) => {
      const actor = own[index]!;
      actor.state = "running";
      return work(actor).finally(() => {
        actor.state = "idle";
        stage.tell();
      });
    });
    for (const answer of answers) answer.catch(() => {});
    for (let since = performance.now(); ;) {
      await rest(stage, own);
      const waiting = own.filter(({ state }) => state === "waiting");
      if (waiting.length === 0) {
        if (own.every(({ state }) => state === "idle")) return { answers, order };
        if (performance.now() - since > STUCK) throw new Error(`nothing goes on after ${order}`);
        await Promise.race([stage.changed(), Bun.sleep(PATIENCE)]);
        continue;
      }
      since = performance.now();
      const actor = choose(waiting);
      order += actor.name;
      actor.proceed();
    }
  } finally {
    stage.hold(false);
    for (const { state, proceed } of own) if (state === "waiting") proceed();
  }
}

/** Waits until each actor has a statement to send, is done, or waits for a lock that one of these has. */
async function rest({ sql, changed }: Stage, own: Actor[]): Promise<void> {
  for (;;) {
    const running = own.filter(({ state }) => state === "running");
    if (running.length === 0) return;
    const isChanged = changed().then(() => true);
    if (await Promise.race([isChanged, Bun.sleep(PATIENCE).then(() => false)])) continue;
    const resting = new Set(own.filter((actor) => !running.includes(actor)).map(({ pid }) => pid));
    const rows: { pid: number; by: number[] }[] = await sql.unsafe(
      `SELECT pid, to_json(pg_blocking_pids(pid)) AS by FROM unnest('{${running.map(({ pid }) => pid).join()}}'::int[]) AS pid`,
    );
    // Behind one that waits itself; what waits in a circle goes on once the database ends one of them.
    const blocked = new Set<number>();
    for (let size = -1; size !== blocked.size;) {
      size = blocked.size;
      for (const { pid, by } of rows)
        if (by.length > 0 && by.every((other) => resting.has(other) || blocked.has(other))) blocked.add(pid);
    }
    if (running.every(({ pid, state }) => state === "running" && blocked.has(pid))) return;
  }
}

/** Orders of a pair or a triple, each once: at random, until there is no other. */
export type Orders = { choose: Choose; end: () => void; isOver: () => boolean };

type Node = { below: Map<string, Node>; isOver: boolean };

export function createOrders(chance: Chance): Orders {
  const root: Node = { below: new Map(), isOver: false };
  let path: Node[] = [root];
  return {
    choose(waiting) {
      const node = path.at(-1)!;
      for (const { name } of waiting)
        if (!node.below.has(name)) node.below.set(name, { below: new Map(), isOver: false });
      const left = waiting.filter(({ name }) => !node.below.get(name)!.isOver);
      const actor = chance.pick(left.length > 0 ? left : waiting);
      path.push(node.below.get(actor.name)!);
      return actor;
    },
    end() {
      for (const node of path.toReversed())
        node.isOver = [...node.below.values()].every((each) => each.isOver);
      path = [root];
    },
    isOver: () => root.isOver,
  };
}

/** The order that a failure has printed. */
export function inOrder(order: string): Choose {
  const names = order.split("");
  return (waiting) => {
    const name = names.shift();
    return waiting.find((actor) => actor.name === name) ?? waiting[0]!;
  };
}
