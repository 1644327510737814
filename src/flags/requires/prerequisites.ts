import { type FlagValues, isOn } from "../flag.ts";
import type { Evaluation, Subject } from "../flagd/evaluate.ts";
import { type Decide, evaluateFlag } from "../flagd/evaluate-flag.ts";
import { acceptedBy, type Need, placesOf, type SharedNeeds } from "./places.ts";

/** Evaluates a flag. The same result is the same object, unless it is an error. */
type EvaluateFlag = (subject: Subject, now: number) => Evaluation;

/** The evaluation of flags that may need others, which are evaluated for the same subject. */
export type Prerequisites = {
  /** The evaluation of a flag: where it needs nothing, only its own. */
  evaluates: (record: FlagValues) => EvaluateFlag;
  /** The first flag that a flag needs and that is not as it has to be; undefined if all are. */
  unfulfilled: (record: FlagValues, subject: Subject, now: number) => string | undefined;
  /** The flags that a flag needs, and that these need. */
  below: (record: FlagValues) => Iterable<FlagValues>;
};

/** Findings about a flag, each with the epoch that it is of. */
type Known = {
  record: FlagValues;
  decide: Decide;
  needs: readonly Need[];
  missing: string | undefined;
  missingAt: number;
  result: Evaluation;
  resultAt: number;
};

const NOTHING = { reason: "DISABLED" } as const;
const OFF = { value: false, variant: "off", reason: "DISABLED" } as const;

/** `decideOf` has the rules of the flags with variants. */
export function createPrerequisites(
  records: readonly FlagValues[],
  decideOf: (slug: string) => Decide | undefined,
  shared: SharedNeeds = { graph: undefined },
): Prerequisites {
  const { placeOf, needsOf, below } = placesOf(records, shared);
  const byPlace: (Known | undefined)[] = [];
  const knownAt = (at: number): Known => {
    const record = records[at]!;
    return (byPlace[at] ??= {
      record,
      decide: decideOf(record.slug) ?? noRules,
      needs: record.requires === "" ? [] : needsOf(at),
      missing: undefined,
      missingAt: 0,
      result: NOTHING,
      resultAt: 0,
    });
  };

  // Evaluations are synchronous: one runs at a time, for the subject that is `epoch`.
  let [epoch, lastSubject, lastNow] = [0, null as Subject | null, 0];
  const begin = (subject: Subject, now: number) => {
    if (subject === lastSubject && now === lastNow) return;
    epoch += 1;
    lastSubject = subject;
    lastNow = now;
  };
  const missingOf = (known: Known, subject: Subject, now: number): string | undefined => {
    if (known.missingAt === epoch) return known.missing;
    known.missingAt = epoch;
    // No flag needs itself: where one would, it ends here.
    known.missing = known.record.slug;
    for (const need of known.needs) if (!isFulfilled(need, subject, now)) return (known.missing = need.flag);
    return (known.missing = undefined);
  };
  const isFulfilled = (need: Need, subject: Subject, now: number): boolean => {
    if (need.at === undefined) return false;
    const known = byPlace[need.at] ?? knownAt(need.at);
    const { record } = known;
    const isServed =
      isOn(record, now) && (record.requires === "" || missingOf(known, subject, now) === undefined);
    if (record.rules === null) return isServed ? need.byOn : need.byOff;
    if (!isServed) return false;
    const result = decided(known, subject);
    if ("errorCode" in result || result.variant === undefined) return false;
    return acceptedBy(need, record.rules).includes(result.variant);
  };
  /** Several flags may need one, which may be evaluated for itself too. */
  const decided = (known: Known, subject: Subject): Evaluation => {
    if (known.resultAt === epoch) return known.result;
    known.resultAt = epoch;
    return (known.result = known.decide(subject));
  };
  return {
    below,
    unfulfilled(record, subject, now) {
      const at = record.requires === "" ? undefined : placeOf(record);
      if (at === undefined) return undefined;
      begin(subject, now);
      return missingOf(knownAt(at), subject, now);
    },
    evaluates(record) {
      if (record.requires === "") {
        const decide = decideOf(record.slug) ?? noRules;
        return (subject, now) => evaluateFlag(record, decide, subject, now);
      }
      let known: Known;
      const decide = (subject: Subject) => decided(known, subject);
      const missing = (subject: Subject, now: number) => {
        known ??= knownAt(placeOf(record)!);
        begin(subject, now);
        return missingOf(known, subject, now);
      };
      return needing(record, decide, missing);
    },
  };
}

/** The evaluation of a flag that needs others, of which `missingOf` names the first that is not as it has to be. */
function needing(
  record: FlagValues,
  decide: Decide,
  missingOf: (subject: Subject, now: number) => string | undefined,
): EvaluateFlag {
  const off = new Map<string, Evaluation>();
  const on = new Map<Evaluation, Evaluation>();
  return (subject, now) => {
    if (!isOn(record, now)) return evaluateFlag(record, decide, subject, now);
    const missing = missingOf(subject, now);
    if (missing !== undefined) {
      let result = off.get(missing);
      if (!result) off.set(missing, (result = { ...offOf(record), prerequisite: missing }));
      return result;
    }
    const own = evaluateFlag(record, decide, subject, now);
    if ("errorCode" in own || own.reason === "TARGETING_MATCH" || own.variant === undefined) return own;
    // Not static any more: it depends on the context.
    let result = on.get(own);
    if (!result) on.set(own, (result = { ...own, reason: "TARGETING_MATCH" }));
    return result;
  };
}

/** The result of a flag while it is off. */
function offOf(record: FlagValues) {
  return record.rules === null ? OFF : NOTHING;
}

function noRules(): never {
  throw new Error("a plain flag has no rules");
}
