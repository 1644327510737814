import { isObject } from "../../../../src/base/json.ts";
import { compileFlag, subjectOf } from "../../../../src/flags/flagd/evaluate.ts";
import type { rampState } from "../../../../src/flags/ramps/ramp-view.ts";
import { readShare } from "../../../../src/flags/ramps/ramp-share.ts";
import { type FlagRules, parseRules, rulesText } from "../../../../src/flags/rules/rules.ts";

type RampState = ReturnType<typeof rampState>;
type FlagState = Partial<FlagRules> & { enabled: boolean };

/** An entry of the history of a project. */
export type Entry = {
  revision: number;
  kind: string;
  environment: string | null;
  name: string;
  at: number;
  before: string | null;
  after: string | null;
  why: string | null;
};

/** What targets have to hear of. */
export type Expected = { type: string; revision: number };

type Ramp = { to: number[]; every: number; done: number; lastAt: number; isRunning: boolean; left: unknown };

const USERS = Array.from({ length: 200 }, (_, index) => `user-${index}`);

/**
 * Follows the ramps of a flag through its history: steps are made once, in their order, not too early, and only while a ramp
 * runs; who is in stays in. Returns the notices of it all.
 */
export function followRamps(entries: readonly Entry[], violated: (text: string) => void): Expected[] {
  const expected: Expected[] = [];
  let ramp: Ramp | null = null;
  let flag: FlagState | null = null;

  const began = ({ name, revision, at }: Entry, state: RampState, isStepped: boolean) => {
    if (ramp?.isRunning) violated(`the ramp of ${name} began at ${revision} while another one ran`);
    const { to, every } = state;
    const left = stateOf(flag);
    ramp = { to: [...to], every, done: isStepped ? 1 : 0, lastAt: at, isRunning: true, left };
    if (isStepped) expected.push({ type: "ramp.stepped", revision });
  };
  const stepped = (entry: Entry, before: FlagState, after: FlagState) => {
    const { name, revision, at } = entry;
    const what = `the step of ${name} at ${revision}`;
    if (!ramp?.isRunning) return violated(`${what} is of no ramp that runs`);
    if (!Bun.deepEquals(stateOf(before), ramp.left)) violated(`${what} is behind a change of the flag`);
    const share = shareOf(after);
    if (share !== ramp.to[ramp.done])
      violated(`${what} goes to ${share} %, and ${ramp.to[ramp.done]} % was next`);
    if (ramp.done > 0 && at < ramp.lastAt + ramp.every * 1000) violated(`${what} is too early`);
    requireStaying(what, before, after, violated);
    Object.assign(ramp, { done: ramp.done + 1, lastAt: at, left: stateOf(after) });
    expected.push({ type: "ramp.stepped", revision: revision + 1 });
  };

  for (const [index, entry] of entries.entries()) {
    const { kind, environment, revision, name } = entry;
    const [before, after] = [entry.before, entry.after].map(parsed);
    const next = entries[index + 1];
    const behind = next?.kind === "ramp" && next.revision === revision + 1 ? next : null;
    if (kind === "flag") {
      const now = after as FlagState | null;
      const begins = behind !== null && behind.before === null;
      const isRestored = (parsed(behind?.after ?? null) as RampState | null)?.status === "aborted";
      const isStep =
        environment !== null && flag !== null && now !== null && !isRestored && isRise(flag, now, entry);
      if (isStep && begins) requireStaying(`the first step of ${name}`, flag!, now, violated);
      else if (isStep) stepped(entry, flag!, now);
      else expected.push({ type: "flag.changed", revision });
      if (isStep && begins && shareOf(now) !== (parsed(behind.after) as RampState).to[0])
        violated(`the ramp of ${name} began at ${revision} with ${shareOf(now)} %`);
      flag = now;
      continue;
    }
    const state = after as RampState;
    const status = (before as RampState | null)?.status;
    if (before === null) {
      const own = entries[index - 1];
      const isStepped = own?.kind === "flag" && own.revision === revision - 1 && flag !== null;
      began(entry, state, isStepped && shareOf(flag!) === state.to[0] && state.share === state.to[0]);
    } else if ((status === "running") !== ((ramp as Ramp | null)?.isRunning ?? false) && !isSeen(before))
      violated(`the ramp of ${name} was ${status} before ${revision}, and the history has another state`);
    const current = ramp as Ramp | null;
    if (!current) continue;
    current.isRunning = state.status === "running";
    if (status === "paused" && current.isRunning) current.left = stateOf(flag);
    if (state.status === "paused") expected.push({ type: "ramp.paused", revision });
    if (state.status === "aborted" || state.status === "completed")
      expected.push({ type: "ramp.ended", revision });
    if (state.status === "completed" && current.done !== current.to.length)
      violated(`the ramp of ${name} was completed at ${revision} after ${current.done} steps`);
  }
  return expected;
}

/** Whether a ramp was taken as paused, which it is at once, before a job has recorded it. */
function isSeen(before: unknown): boolean {
  const { status, reason } = before as RampState;
  return status === "paused" && (reason === "changed" || reason === "locked");
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/** The parts of a flag that a ramp sets. */
function stateOf(flag: FlagState | null): unknown {
  if (flag === null) return null;
  const { enabled, variants, defaultVariant = null, targeting } = flag;
  return variants === undefined
    ? { enabled }
    : { enabled, variants, defaultVariant, targeting: isObject(targeting) ? targeting : {} };
}

function rulesOf({ variants, defaultVariant, targeting }: FlagState): FlagRules | null {
  if (variants === undefined) return null;
  return parseRules(rulesText({ variants, defaultVariant, targeting }));
}

/**
 * Only ramps change rules here, and give a flag variants. The first step of a flag that is off may turn it on and leave its
 * rules, which people do too, but not for this reason.
 */
function isRise(before: FlagState, after: FlagState, { why }: Entry): boolean {
  const [was, is] = [rulesOf(before), rulesOf(after)];
  if (is === null) return false;
  return !Bun.deepEquals(was, is) || (!before.enabled && after.enabled && why === "a step of the ramp");
}

function shareOf(flag: FlagState): number {
  const rules = rulesOf(flag);
  return readShare({ enabled: flag.enabled, rules: rules && rulesText(rules) }, "on").share;
}

function usersOf(flag: FlagState): Set<string> {
  if (!flag.enabled) return new Set();
  const rules = rulesOf(flag);
  if (rules === null) return new Set(USERS);
  const decide = compileFlag("flag", rules, new Map());
  const isIn = (targetingKey: string) => {
    const found = decide(subjectOf({ targetingKey }));
    return "variant" in found && found.variant === "on";
  };
  return new Set(USERS.filter(isIn));
}

function requireStaying(
  what: string,
  before: FlagState,
  after: FlagState,
  violated: (text: string) => void,
): void {
  const [was, is] = [usersOf(before), usersOf(after)];
  const lost = [...was].filter((user) => !is.has(user));
  if (lost.length > 0) violated(`${what} takes ${lost.length} users out, such as ${lost[0]}`);
}
