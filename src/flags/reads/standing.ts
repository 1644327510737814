import { createTurns } from "../../base/event-loop.ts";
import { type Flag, type FlagValues, isOn, parsePayload, viewFlag } from "../flag.ts";
import { type Compiled, compileRules } from "../flagd/compiled.ts";
import { type Subject, subjectOf } from "../flagd/evaluate.ts";
import { createPrerequisites, type Prerequisites } from "../requires/prerequisites.ts";
import { areBoolean, parseRules } from "../rules/rules.ts";
import type { FlagSource } from "./snapshots.ts";

/** The flags of an environment for readers without a context. */
export type Standings = Pick<Prerequisites, "below" | "unfulfilled"> & {
  /** The results of flags with variants, by slug. */
  bySlug: ReadonlyMap<string, Standing>;
};

/** Result of the rules of an enabled flag for readers without a context. */
type Standing = Omit<Compiled, "compile"> & { dependsOnTime: boolean };

/**
 * The standings of flags. Rules that are in `before` are not evaluated again. Compiling a rule
 * takes time, so the event loop gets turns in between.
 */
export async function readStandings(
  { records, segments, needs }: Pick<FlagSource, "records" | "segments" | "needs">,
  before: Standings | undefined,
): Promise<Standings> {
  const compiled = compileRules(records, segments, before?.bySlug);
  const standings = new Map<string, Standing>();
  const takeTurns = createTurns();
  for (const [slug, each] of compiled) {
    standings.set(slug, "dependsOnTime" in each ? each : standingOf(each));
    await takeTurns();
  }
  const decideOf = (slug: string) => standings.get(slug)?.decide;
  return { bySlug: standings, ...createPrerequisites(records, decideOf, needs) };
}

/** Besides the context, a rule can only read the time: one that does not always yields the same, and is not kept. */
function standingOf({ source, decide }: Compiled): Standing {
  const subject = subjectOf({});
  const { timestamp } = subject.$flagd;
  let dependsOnTime = false;
  Object.defineProperty(subject.$flagd, "timestamp", {
    get() {
      dependsOnTime = true;
      return timestamp;
    },
  });
  const evaluation = decide(subject);
  return { source, decide: dependsOnTime ? decide : () => evaluation, dependsOnTime };
}

/**
 * The flag as a reader without a context gets it at `now`, with its variant, empty for none, and when that may change by
 * itself.
 */
export function viewServed(
  record: FlagValues,
  { bySlug, unfulfilled }: Standings,
  subject: Subject,
  now: number,
): { flag: Flag; variant: string; until: number | null } {
  const standing = bySlug.get(record.slug);
  const enabled = isOn(record, now) && unfulfilled(record, subject, now) === undefined;
  if (record.rules === null || !standing)
    return {
      flag: viewFlag(record, { enabled, payload: parsePayload(record.payload) }),
      variant: enabled ? "on" : "off",
      until: null,
    };
  const evaluation = standing.decide(subject);
  const value = "value" in evaluation ? evaluation.value : undefined;
  const variant = enabled && "variant" in evaluation ? (evaluation.variant ?? "") : "";
  const until = standing.dependsOnTime ? nextSecond(now) : null;
  if (!areBoolean(parseRules(record.rules).variants))
    return { flag: viewFlag(record, { enabled, payload: value ?? {} }), variant, until };
  const isTrue = enabled && value === true;
  const payload = isTrue ? parsePayload(record.payload) : {};
  return { flag: viewFlag(record, { enabled: isTrue, payload }), variant, until };
}

/** When a flag may change by itself because of what it needs, other than by an expiry of {@link Standings.below}; null for never. */
export function needsChangeAt(record: FlagValues, { bySlug, below }: Standings, now: number): number | null {
  for (const { slug } of below(record)) if (bySlug.get(slug)?.dependsOnTime) return nextSecond(now);
  return null;
}

function nextSecond(now: number): number {
  return Math.floor(now / 1000 + 1) * 1000;
}
