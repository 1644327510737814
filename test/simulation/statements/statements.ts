import { AppError } from "../../../src/base/errors.ts";
import { createChance } from "../chance.ts";
import { type Actor, type Stage, openStage } from "./actors.ts";
import { OPERATIONS, type OperationName, SKIPPING } from "./operations.ts";
import { type Footprint, addFootprint, noFootprint } from "./footprints.ts";
import { createOwn } from "./operations/call.ts";
import { type Choose, createOrders, inOrder, runInOrder } from "./orders.ts";
import { furnish } from "./shop.ts";
import { type State, keepState } from "./state.ts";

/** What became of operations: the answer of each, and all that the database holds then. */
type Outcome = {
  answers: string[];
  state: string;
  /** Once those are repeated that have left out what others had locked. */
  repeated: string;
};

/** `left` are orders that were run to their end and do what another one does; `isOver` says that there is no other one. */
type Explored = {
  orders: number;
  left: number;
  isOver: boolean;
  fault: string | null;
  /** Each outcome once. */
  outcomes: Set<string>;
};

export type Explorer = {
  /** Runs operations in at most so many orders of their statements, and compares each with all orders of whole operations. */
  explore: (
    names: readonly OperationName[],
    orders: number,
    seed: number,
    leavesOut?: boolean,
  ) => Promise<Explored>;
  /** What an operation touches when it runs alone, what PostgreSQL says that it touches beside that, and what it answers. */
  footprintOf: (name: OperationName) => Promise<{ footprint: Footprint; missing: string[]; answer: string }>;
  /** The same for one order, as a failure prints it. */
  replay: (names: readonly OperationName[], order: string) => Promise<string | null>;
  close: () => Promise<void>;
};

/** Opens replicas on an empty database. */
export async function openExplorer(url: string, most = 3): Promise<Explorer> {
  const stage = await openStage(url, most);
  const shop = await furnish(stage.actors[0]!.store);
  const state = await keepState(stage.sql);
  const own = stage.actors.map(({ name }) => createOwn(name));
  const workOf = (name: OperationName, index: number) => (actor: Actor) =>
    OPERATIONS[name](actor.store, shop, own[index]!);
  const place: Place = { stage, state };
  const playOf = (names: readonly OperationName[]): Play => ({
    works: names.map(workOf),
    skipping: names.flatMap((name, index) => (SKIPPING.has(name) ? [index] : [])),
  });

  const runOnce = async (play: Play, choose: Choose) => {
    await state.reset();
    const { answers, order } = await runInOrder(stage, play.works, choose);
    return { order, outcome: await outcomeOf(place, play, await Promise.all(answers.map(shown))) };
  };
  return {
    async explore(names, most, seed, leavesOut = true) {
      const play = playOf(names);
      const serial = createSerial(place, play);
      const orders = createOrders(createChance(seed), leavesOut);
      const outcomes = new Set<string>();
      let [count, left, fault] = [0, 0, null as string | null];
      while (fault === null && count + left < most && !orders.isOver()) {
        const { order, outcome } = await runOnce(play, orders.choose);
        if (orders.end()) count += 1;
        else left += 1;
        outcomes.add(Bun.hash(JSON.stringify(outcome)).toString(36));
        const found = await faultOf(outcome, serial);
        if (found !== null) fault = `${names.join(" | ")}, order ${order}: ${found}`;
      }
      await state.vacuum();
      return { orders: count, left, isOver: orders.isOver(), fault, outcomes };
    },
    async footprintOf(name) {
      const footprint = noFootprint();
      const missing: string[] = [];
      await state.reset();
      const { answers } = await runInOrder(stage, [workOf(name, 0)], async ([first]) => {
        const actor = first!;
        addFootprint(footprint, actor.step.footprint);
        if (!actor.step.isStatement) missing.push(...(await missingIn(stage, actor)));
        return actor;
      });
      const answer = await shown(answers[0]!);
      return { footprint, missing, answer };
    },
    async replay(names, order) {
      const play = playOf(names);
      return faultOf((await runOnce(play, inOrder(order))).outcome, createSerial(place, play));
    },
    close: () => stage.close(),
  };
}

type Place = { stage: Stage; state: State };
/** What the actors do, and which of them may leave something out. */
type Play = { works: ((actor: Actor) => Promise<unknown>)[]; skipping: number[] };
/** The outcome of some of the operations one after the other, by their places; the answers of others are empty. */
type Serial = { of: (order: readonly number[]) => Promise<Outcome>; play: Play };

async function outcomeOf({ stage, state }: Place, play: Play, answers: string[]): Promise<Outcome> {
  const now = await state.read();
  if (play.skipping.length === 0) return { answers, state: now, repeated: now };
  for (const index of play.skipping) await shown(play.works[index]!(stage.actors[index]!));
  return { answers, state: now, repeated: await state.read() };
}

function createSerial(place: Place, play: Play): Serial {
  const { works } = play;
  const known = new Map<string, Outcome>();
  return {
    play,
    async of(order) {
      const before = known.get(order.join());
      if (before) return before;
      await place.state.reset();
      const answers = works.map(() => "");
      for (const index of order) answers[index] = await shown(works[index]!(place.stage.actors[index]!));
      const outcome = await outcomeOf(place, play, answers);
      known.set(order.join(), outcome);
      return outcome;
    },
  };
}

/** Why no serial order explains an outcome. What was refused for the sake of another operation has done nothing. */
async function faultOf(outcome: Outcome, { of, play }: Serial): Promise<string | null> {
  const all = [...play.works.keys()];
  const refused = all.filter((index) => REFUSED.test(outcome.answers[index]!));
  const sets = refused.length === 0 ? [all] : [all, all.filter((index) => !refused.includes(index))];
  let nearest: Outcome | undefined;
  for (const order of sets.flatMap(permutations)) {
    const other = await of(order);
    const isAnswered = (index: number) =>
      refused.includes(index) || other.answers[index] === outcome.answers[index];
    // What was left out is in no answer either.
    const isShort = (index: number) =>
      play.skipping.includes(index) && outcome.answers[index]!.length <= other.answers[index]!.length;
    if (other.state === outcome.state && order.every(isAnswered)) return null;
    if (other.repeated === outcome.repeated && order.every((index) => isAnswered(index) || isShort(index)))
      return null;
    if (nearest === undefined || other.state === outcome.state) nearest = other;
  }
  return difference(outcome, nearest!);
}

/** Refusals that the port documents: another change was first, or the database was busy with others again and again. */
const REFUSED = /^(?:conflict outdated|unavailable database-unavailable)/;

async function shown(answer: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer) ?? "nothing";
  } catch (error) {
    // Of a thing in a place, either may be missed first.
    if (error instanceof AppError && error.code === "not_found") return error.code;
    if (error instanceof AppError) return `${error.code} ${error.reason ?? ""} ${error.message}`;
    return `a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

/** The tables that a transaction, which is about to commit, has touched in ways that its footprint does not have. */
async function missingIn({ sql }: Stage, { pid, touched }: Actor): Promise<string[]> {
  const held: { table: string; mode: string }[] = await sql.unsafe(
    `SELECT relation::regclass::text AS table, mode FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
     WHERE l.pid = ${pid} AND l.locktype = 'relation' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
  );
  const { reads, locks, shares, writes } = touched!;
  const known: Record<string, ReadonlySet<string>> = {
    AccessShareLock: reads,
    RowShareLock: locks.union(shares),
    RowExclusiveLock: writes,
  };
  return held
    .filter(({ table, mode }) => known[mode]?.has(table) !== true)
    .map((each) => Object.values(each).join(" "));
}

function permutations(values: readonly number[]): number[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value) =>
    permutations(values.filter((each) => each !== value)).map((rest) => [value, ...rest]),
  );
}

function difference(found: Outcome, wanted: Outcome): string {
  const [is, was] = [found.state.split("\n"), wanted.state.split("\n")];
  const more = is.filter((line) => !was.includes(line));
  const less = was.filter((line) => !is.includes(line));
  return JSON.stringify({ answers: found.answers, serial: wanted.answers, more, less }, null, 1);
}
