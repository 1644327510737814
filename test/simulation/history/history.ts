/** A call with when it began and ended. Of a write whose answer was lost, nobody knows whether and when it was made. */
export type Call = {
  flag: string;
  begin: number;
  end: number;
  /** Of the state that was written or read; null for a write of which that is not known. */
  revision: number | null;
} & (
  | { kind: "read" }
  | { kind: "write"; expected: number | null }
  /** A write that was refused because the flag was not at the revision that it expected. */
  | { kind: "conflict"; expected: number }
);

export type History = {
  calls: Call[];
  /** The newest revision that a write has returned. */
  newest: (flag: string) => number | null;
  beginWrite: (
    flag: string,
    expected: number | null,
    begin: number,
  ) => { end: (at: number, revision: number | "unknown" | null, isConflict: boolean) => void };
  beginRead: (flag: string, begin: number) => { end: (at: number, revision: number | null) => void };
};

/** Records what writers and readers of flags were answered. What has surely done nothing is left out. */
export function createHistory(): History {
  const calls: Call[] = [];
  const newest = new Map<string, number>();
  return {
    calls,
    newest: (flag) => newest.get(flag) ?? null,
    beginWrite: (flag, expected, begin) => ({
      end(at, revision, isConflict) {
        if (isConflict && expected !== null)
          calls.push({ kind: "conflict", flag, begin, end: at, revision: null, expected });
        if (revision === null) return;
        const isKnown = revision !== "unknown";
        if (isKnown) newest.set(flag, revision);
        calls.push({
          kind: "write",
          flag,
          begin,
          end: isKnown ? at : Infinity,
          revision: isKnown ? revision : null,
          expected,
        });
      },
    }),
    beginRead: (flag, begin) => ({
      end(at, revision) {
        if (revision !== null) calls.push({ kind: "read", flag, begin, end: at, revision });
      },
    }),
  };
}

/** A state of a flag: when it can have been made, and who says so. */
type State = { revision: number; from: number; to: number; expected: number | null; reads: Call[] };

/**
 * Why a history is not linearizable; null if it is. Each flag is a register of its own, whose revisions only grow: so the
 * order of writes is known, and what is left is whether each can have happened within its call, behind the one before it, and
 * in front of all that read it.
 */
export function faultIn(calls: readonly Call[]): string | null {
  for (const [flag, own] of Map.groupBy(calls, (call) => call.flag)) {
    const fault = faultInFlag(own);
    if (fault !== null) return `${flag}: ${fault}`;
  }
  return null;
}

function faultInFlag(calls: readonly Call[]): string | null {
  const states = statesOf(calls);
  if (typeof states === "string") return states;
  let earliest = -Infinity;
  for (const [index, state] of states.entries()) {
    const before = states[index - 1];
    earliest = Math.max(earliest, state.from, ...(before?.reads ?? []).map(({ begin }) => begin));
    const latest = Math.min(state.to, ...state.reads.map(({ end }) => end));
    if (earliest > latest)
      return shown(`revision ${state.revision} cannot have been made in time`, before, state);
    if (state.expected !== null && before && before.revision !== state.expected)
      return shown(`revision ${state.revision} was written on ${state.expected}`, before, state);
    // Kept for the refusals: made no earlier, and no later.
    state.from = earliest;
    state.to = latest;
  }
  const unknown = calls.filter(({ kind, revision }) => kind === "write" && revision === null);
  for (const call of calls) {
    if (call.kind !== "conflict") continue;
    const at = states.findIndex(({ revision }) => revision === call.expected);
    const next = states[at + 1];
    // One that nobody has read may have been made, and made the expected revision an old one.
    if (unknown.some(({ begin }) => begin <= call.end)) continue;
    if (at !== -1 && states[at]!.to <= call.begin && (next?.from ?? Infinity) >= call.end)
      return shown(`a write on ${call.expected} was refused`, states[at], next ?? states[at]!);
  }
  return null;
}

/** The states of a flag by revision; or why one that was read can come from no write. */
function statesOf(calls: readonly Call[]): State[] | string {
  const states = new Map<number, State>();
  const unknown: Call[] = [];
  for (const call of calls) {
    if (call.kind !== "write") continue;
    if (call.revision === null) unknown.push(call);
    // A second write of a revision has changed nothing: it has read it.
    else if (!states.has(call.revision))
      states.set(call.revision, {
        revision: call.revision,
        from: call.begin,
        to: call.end,
        expected: call.expected,
        reads: [],
      });
    else states.get(call.revision)!.reads.push(call);
  }
  const reads = calls.filter(({ kind }) => kind === "read");
  const first = Math.min(...reads.map(({ revision }) => revision!), ...states.keys());
  const orphans: Call[] = [];
  for (const read of reads) {
    const state = states.get(read.revision!);
    if (state) state.reads.push(read);
    else {
      // What was there before the history began has no write of its own.
      const from = read.revision === first ? -Infinity : NaN;
      states.set(read.revision!, {
        revision: read.revision!,
        from,
        to: Infinity,
        expected: null,
        reads: [read],
      });
      if (read.revision !== first) orphans.push(read);
    }
  }
  unknown.sort((a, b) => a.begin - b.begin);
  for (const read of orphans.toSorted((a, b) => a.revision! - b.revision!)) {
    const write = unknown.shift();
    if (!write) return `revision ${read.revision} was read, and nobody wrote it: ${JSON.stringify(read)}`;
    states.get(read.revision!)!.from = write.begin;
  }
  return [...states.values()].toSorted((a, b) => a.revision - b.revision);
}

/** The calls that contradict each other, which is the smallest window that cannot be. */
function shown(what: string, before: State | undefined, state: State): string {
  const late = (before?.reads ?? []).toSorted((a, b) => b.begin - a.begin)[0];
  const early = state.reads.toSorted((a, b) => a.end - b.end)[0];
  const brief = ({ revision, from, to, expected }: State) => ({ revision, from, to, expected });
  return `${what}: ${JSON.stringify({ before: before && brief(before), state: brief(state), late, early })}`;
}
