import type { Call } from "./history.ts";

/**
 * Whether some order of all calls explains them, by trying every one (Wing and Gong): slow, and simple enough to be believed.
 * It takes the calls of one flag.
 */
export function isLinearizable(calls: readonly Call[]): boolean {
  const read = new Set(calls.filter(({ kind }) => kind === "read").map(({ revision }) => revision!));
  const written = new Set(calls.filter(({ kind }) => kind === "write").map(({ revision }) => revision));
  const first = Math.min(...read, ...[...written].map((revision) => revision ?? Infinity));
  const orphans = [...read].filter((revision) => !written.has(revision) && revision !== first);
  const dead = new Set<string>();

  const search = (left: readonly Call[], current: number): boolean => {
    if (left.every(({ end }) => end === Infinity)) return true;
    const key = `${current} ${left.map((call) => calls.indexOf(call)).join()}`;
    if (dead.has(key)) return false;
    const until = Math.min(...left.map(({ end }) => end));
    for (const call of left) {
      if (call.begin > until) continue;
      const rest = left.filter((each) => each !== call);
      if (outcomes(call, current, orphans).some((next) => search(rest, next))) return true;
    }
    dead.add(key);
    return false;
  };
  return search(calls, written.has(first) ? -1 : first);
}

/** The revisions that a flag can have behind a call at one; none if the call cannot happen there. */
function outcomes(call: Call, current: number, orphans: readonly number[]): number[] {
  if (call.kind === "read") return call.revision === current ? [current] : [];
  if (call.kind === "conflict") return call.expected === current ? [] : [current];
  // Of what was there before the history, nothing is known.
  if (call.expected !== null && call.expected !== current && current >= 0) return [];
  if (call.revision !== null) return call.revision > current ? [call.revision] : [];
  // A revision that nobody has read lies between two others.
  const unread = current + (Math.floor(current) + 1 - current) / 2;
  return [...orphans.filter((revision) => revision > current), unread];
}
