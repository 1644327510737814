import type { Call } from "./history.ts";

/**
 * `linearizable`: every call happens at one moment between its begin and its end. `regular`: writes and refusals do; a read
 * shows a state that no answered write had replaced when it began, so that two readers may see a write under way in
 * either order.
 */
export type Kind = "linearizable" | "regular";

/** A bound of the moment at which a state began, and the call that sets it. */
type Bound = { at: number; call: Call | null };

type State = {
  revision: number;
  expected: number | null;
  /** Bounds that its write and its reads set alone. */
  from: Bound;
  to: Bound;
  /** The end of its write, before which no reader can rely on it. */
  answered: Bound;
  reads: Call[];
  /** The read that began last. */
  last: Call | null;
};

type Register = { states: State[]; unknown: Call[] };

const NEVER: Bound = { at: Infinity, call: null };
const ALWAYS: Bound = { at: -Infinity, call: null };

const later = (a: Bound, b: Bound) => (b.at > a.at ? b : a);
const sooner = (a: Bound, b: Bound) => (b.at < a.at ? b : a);

/**
 * The smallest window that contradicts the kind of register; null if there is none. Each flag is a register of its own, whose
 * revisions only grow: so the order of writes is known, and what is left is whether each can have happened within its
 * call, behind the one before it, and in front of all that read it.
 */
export function faultIn(calls: readonly Call[], kind: Kind = "linearizable"): string | null {
  for (const [flag, own] of Map.groupBy(calls, (call) => call.flag)) {
    const fault = faultInFlag(own, kind);
    if (fault !== null) return `${flag}: ${fault}`;
  }
  return null;
}

function faultInFlag(calls: readonly Call[], kind: Kind): string | null {
  const register = registerOf(calls);
  if (typeof register === "string") return register;
  const { states } = register;
  for (const [index, { revision, expected }] of states.entries()) {
    const before = states[index - 1];
    if (expected !== null && before && before.revision !== expected) {
      const between = calls.filter((call) => call.revision === revision || call.revision === before.revision);
      return windowOf(`revision ${revision} was written on ${expected}`, between.slice(0, 4));
    }
  }
  return (kind === "regular" ? faultInReads(states) : null) ?? faultInOrder(calls, register, kind);
}

/** A read that misses a write which was answered before it began. */
function faultInReads(states: readonly State[]): string | null {
  let first = NEVER;
  for (const { last, answered } of states.toReversed()) {
    if (last && first.at < last.begin)
      return windowOf(`revision ${last.revision} was read behind a newer one`, [first.call!, last]);
    first = sooner(first, answered);
  }
  return null;
}

/**
 * Finds the earliest moment of each state. A refusal has to be before the state that it expected, or behind it: where the next
 * state cannot be early enough at its earliest, the expected one is moved behind the begin of the refusal.
 */
function faultInOrder(calls: readonly Call[], { states, unknown }: Register, kind: Kind): string | null {
  const at = new Map(states.map(({ revision }, index) => [revision, index]));
  const refusals = calls
    .filter((call) => call.kind === "conflict")
    .map((call) => ({ call, index: at.get(call.expected) ?? -1 }))
    .filter(({ index }) => index !== -1);
  const floors: Bound[] = states.map(() => ALWAYS);
  for (;;) {
    const starts = startsOf(states, floors, kind);
    if (typeof starts === "string") return starts;
    let isSettled = true;
    const takers = new Map<number, Call>();
    for (const { call, index } of refusals) {
      const start = starts[index]!.at;
      const next = starts[index + 1]?.at ?? Infinity;
      if (start >= call.begin || next <= call.end) continue;
      if (isReplaced(states, index, call, start, kind, unknown, takers)) continue;
      if (call.begin <= floors[index]!.at) continue;
      floors[index] = { at: call.begin, call };
      isSettled = false;
    }
    if (isSettled) return null;
  }
}

/** The earliest moments of all states; or why one of them would be too late. */
function startsOf(states: readonly State[], floors: readonly Bound[], kind: Kind): Bound[] | string {
  const starts: Bound[] = [];
  let earliest = ALWAYS;
  for (const [index, state] of states.entries()) {
    const read = states[index - 1]?.last;
    if (read && kind === "linearizable") earliest = later(earliest, { at: read.begin, call: read });
    earliest = later(later(earliest, state.from), floors[index]!);
    if (earliest.at > state.to.at)
      return windowOf(`revision ${state.revision} cannot have been made in time`, [
        state.to.call,
        earliest.call,
      ]);
    starts.push(earliest);
  }
  return starts;
}

/** Whether a write of unknown outcome, which has not been read, can have replaced a state before a refusal. */
function isReplaced(
  states: readonly State[],
  index: number,
  refusal: Call,
  start: number,
  kind: Kind,
  unknown: readonly Call[],
  takers: Map<number, Call>,
): boolean {
  const { revision, last } = states[index]!;
  if ((states[index + 1]?.expected ?? null) !== null) return false;
  if (kind === "linearizable" && last && last.begin > refusal.end) return false;
  if (start > refusal.end) return false;
  const taken = takers.get(index);
  if (taken && taken.begin <= refusal.end) return true;
  const used = new Set(takers.values());
  const found = unknown.find(
    (write) =>
      write.kind === "write" &&
      write.begin <= refusal.end &&
      (write.expected === null || write.expected === revision) &&
      !used.has(write),
  );
  if (found) takers.set(index, found);
  return found !== undefined;
}

/** The states of a flag by revision, and writes of which none is known to be made; or why one that was read comes from no write. */
function registerOf(calls: readonly Call[]): Register | string {
  const states = new Map<number, State>();
  const unknown: Call[] = [];
  for (const call of calls) {
    if (call.kind !== "write") continue;
    const state = call.revision === null ? undefined : states.get(call.revision);
    if (call.revision === null) unknown.push(call);
    // A second write of a revision has changed nothing: it has read it.
    else if (state) addRead(state, call);
    else states.set(call.revision, stateOf(call.revision, call, call.expected));
  }
  const orphans = new Set<State>();
  const reads = calls.filter(({ kind }) => kind === "read").toSorted((a, b) => a.revision! - b.revision!);
  // Where the oldest revision has no write of its own, the history began with it.
  const first = Math.min(reads[0]?.revision ?? Infinity, ...smallest(states.keys()));
  for (const read of reads) {
    const revision = read.revision!;
    const known = states.get(revision);
    const state = known ?? stateOf(revision, null, null);
    if (!known) states.set(revision, state);
    if (!known && revision === first) state.to = ALWAYS;
    else if (!known) orphans.add(state);
    addRead(state, read);
  }
  const sorted = [...states.values()].toSorted((a, b) => a.revision - b.revision);
  unknown.sort((a, b) => a.begin - b.begin);
  for (const [index, state] of sorted.entries()) {
    if (!orphans.has(state)) continue;
    const write = takeWriter(unknown, sorted, index);
    if (!write)
      return windowOf(
        `revision ${state.revision} was read, and nobody wrote it`,
        [...unknown, ...state.reads].slice(0, 4),
      );
    state.from = { at: write.begin, call: write };
    state.expected = write.kind === "write" ? write.expected : null;
  }
  return { states: sorted, unknown };
}

/**
 * Takes the write of unknown outcome that a state comes from: one that expected the state before it, else the last one that was
 * early enough. Earlier ones may be what others were refused for.
 */
function takeWriter(unknown: Call[], states: readonly State[], index: number): Call | undefined {
  const before = states[index - 1]?.revision;
  const deadline = Math.min(...states.slice(index, index + 50).map(({ to }) => to.at));
  const own = unknown.findIndex(
    (call) => call.kind === "write" && call.expected === before && call.begin <= deadline,
  );
  const any = unknown.findLastIndex(
    (call) => call.kind === "write" && call.expected === null && call.begin <= deadline,
  );
  const chosen = own === -1 ? any : own;
  return chosen === -1 ? undefined : unknown.splice(chosen, 1)[0];
}

function* smallest(numbers: Iterable<number>): Generator<number> {
  let least = Infinity;
  for (const each of numbers) least = Math.min(least, each);
  yield least;
}

function stateOf(revision: number, write: Call | null, expected: number | null): State {
  const to = write ? { at: write.end, call: write } : NEVER;
  const from = write ? { at: write.begin, call: write } : ALWAYS;
  return { revision, expected, from, to, answered: to, reads: [], last: null };
}

function addRead(state: State, read: Call): void {
  state.reads.push(read);
  state.to = sooner(state.to, { at: read.end, call: read });
  if (!state.last || read.begin > state.last.begin) state.last = read;
}

/** Calls that contradict each other: revisions only grow, and the first of them ended before the second began. */
function windowOf(what: string, calls: readonly (Call | null)[]): string {
  const shown = [...new Set(calls)].filter((call) => call !== null);
  return `${what}:\n${shown.map((call) => `  ${JSON.stringify(call)}`).join("\n")}`;
}
