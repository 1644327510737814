import { createTurns } from "../../base/event-loop.ts";
import { type Flag, type FlagValues, isOn, parsePayload, viewFlag } from "../flag.ts";
import { type Compiled, compileRules } from "../flagd/compiled.ts";
import { subjectOf } from "../flagd/evaluate.ts";
import { areBoolean, parseRules } from "../rules/rules.ts";
import type { SegmentRecord } from "../segment.ts";

/** Result of the rules of an enabled flag for readers without a context. */
export type Standing = Omit<Compiled, "compile"> & { dependsOnTime: boolean };

/**
 * The standings of flags with variants, by slug. Rules that are in `before` are not evaluated again. Compiling a rule
 * takes time, so the event loop gets turns in between.
 */
export async function readStandings(
  records: readonly FlagValues[],
  segments: readonly SegmentRecord[],
  before: ReadonlyMap<string, Standing> | undefined,
): Promise<ReadonlyMap<string, Standing>> {
  const compiled = compileRules(records, segments, before);
  const standings = new Map<string, Standing>();
  const takeTurns = createTurns();
  for (const [slug, each] of compiled) {
    standings.set(slug, "dependsOnTime" in each ? each : standingOf(each));
    await takeTurns();
  }
  return standings;
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
  standing: Standing | undefined,
  now: number,
): { flag: Flag; variant: string; until: number | null } {
  const enabled = isOn(record, now);
  if (record.rules === null || !standing)
    return {
      flag: viewFlag(record, { enabled, payload: parsePayload(record.payload) }),
      variant: enabled ? "on" : "off",
      until: null,
    };
  const evaluation = standing.decide(subjectOf({}));
  const value = "value" in evaluation ? evaluation.value : undefined;
  const variant = enabled && "variant" in evaluation ? (evaluation.variant ?? "") : "";
  const until = standing.dependsOnTime ? Math.floor(now / 1000 + 1) * 1000 : null;
  if (!areBoolean(parseRules(record.rules).variants))
    return { flag: viewFlag(record, { enabled, payload: value ?? {} }), variant, until };
  const isTrue = enabled && value === true;
  const payload = isTrue ? parsePayload(record.payload) : {};
  return { flag: viewFlag(record, { enabled: isTrue, payload }), variant, until };
}
