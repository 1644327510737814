import type { Chance } from "../chance.ts";
import type { Actor, Stage } from "./actors.ts";
import { type Effect, type Footprint, addFootprint, areDependent, noFootprint } from "./footprints.ts";

/** Chooses the actor whose statement goes next. */
export type Choose = (waiting: Actor[], own: Actor[]) => Actor | Promise<Actor>;

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
      const actor = await choose(waiting, own);
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
export type Orders = {
  choose: (waiting: Actor[], own: Actor[]) => Actor;
  /** Returns whether the order does something that no other one does. */
  end: () => boolean;
  isOver: () => boolean;
};

/** `names` is in the order in which a search would try them; who sleeps does what another order does. */
type Node = { names: string[]; below: Map<string, Node>; sleeping: Map<string, Effect>; isOver: boolean };
/** A choice, with what it does, and what the others would have done. */
type Choice = {
  node: Node;
  actor: Actor;
  effect: Effect;
  touched: Footprint | null;
  others: Map<string, Effect>;
};

const newNode = (): Node => ({ names: [], below: new Map(), sleeping: new Map(), isOver: false });

/**
 * Leaves out orders that differ from another one only in neighbours that may change places, by sleep sets (Godefroid): what
 * comes earlier in a search is not tried again behind a step that does not depend on it.
 */
export function createOrders(chance: Chance, leavesOut = true): Orders {
  const root = newNode();
  let [path, last, isNew] = [[root], undefined as Choice | undefined, true];

  /** Who has nothing new to do behind a choice. */
  const sleepingBehind = ({ node, actor, effect, touched, others }: Choice): Map<string, Effect> => {
    const earlier = new Set(node.names.slice(0, node.names.indexOf(actor.name)));
    // Its transaction has ended in the meantime: what it locked is free, and what it wrote is to be seen.
    const hasEnded = touched !== null && actor.touched !== touched;
    const whole = hasEnded ? joined(effect, touched) : effect;
    const candidates = [...node.sleeping, ...[...others].filter(([name]) => earlier.has(name))];
    return new Map(candidates.filter(([, each]) => !areDependent(whole, each)));
  };
  return {
    choose(waiting, own) {
      const node = path.at(-1)!;
      if (last !== undefined && leavesOut && node.names.length === 0) node.sleeping = sleepingBehind(last);
      const added = waiting.filter(({ name }) => !node.names.includes(name));
      while (added.length > 0) node.names.push(added.splice(chance.int(added.length), 1)[0]!.name);
      const awake = waiting.filter(({ name }) => !node.sleeping.has(name));
      if (awake.length === 0) [isNew, node.isOver] = [false, true];
      const left = awake.filter(({ name }) => node.below.get(name)?.isOver !== true);
      const actor = chance.pick(left.length > 0 ? left : waiting);
      const others = new Map(
        waiting.filter((each) => each !== actor).map((each) => [each.name, effectOf(each, [])]),
      );
      const running = own.filter(({ state }) => state === "running");
      last = { node, actor, effect: effectOf(actor, running), touched: actor.touched, others };
      if (isNew) {
        const below = node.below.get(actor.name) ?? newNode();
        node.below.set(actor.name, below);
        path.push(below);
      }
      return actor;
    },
    end() {
      const wasNew = isNew;
      if (isNew) path.at(-1)!.isOver = true;
      for (const node of path.toReversed())
        node.isOver ||= node.names.every(
          (name) => node.sleeping.has(name) || node.below.get(name)?.isOver === true,
        );
      [path, last, isNew] = [[root], undefined, true];
      return wasNew;
    },
    isOver: () => root.isOver,
  };
}

/** What an actor does next; `running` are others that go on once it has committed. */
function effectOf({ step, touched }: Actor, running: Actor[]): Effect {
  const { footprint, isStatement, isAlone } = step;
  if (isStatement && !isAlone) return { ...footprint, commits: new Set() };
  if (isStatement) return { ...footprint, commits: footprint.writes };
  const effect = { ...noFootprint(), commits: touched!.writes };
  for (const kind of ["locks", "shares"] as const) effect[kind] = new Set(touched![kind]);
  for (const other of running) addFootprint(effect, other.step.footprint);
  return effect;
}

function joined(effect: Effect, touched: Footprint): Effect {
  const whole = noFootprint();
  addFootprint(whole, effect);
  addFootprint(whole, touched);
  return { ...whole, commits: new Set([...effect.commits, ...touched.writes]) };
}

/** The order that a failure has printed. */
export function inOrder(order: string): Choose {
  const names = order.split("");
  return (waiting) => {
    const name = names.shift();
    return waiting.find((actor) => actor.name === name) ?? waiting[0]!;
  };
}
