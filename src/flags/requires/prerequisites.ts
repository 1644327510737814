import type { FlagValues } from "../flag.ts";
import type { Evaluation, Subject } from "../flagd/evaluate.ts";
import { type Decide, evaluateFlag } from "../flagd/evaluate-flag.ts";
import { areBoolean, parseRules } from "../rules/rules.ts";
import { type Requirement, requirementsOf } from "./requirement.ts";

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
  /** The part that a later snapshot may share. */
  shared: { graph: Graph | undefined };
};

/** Flags by their places, with what each needs as of a stored text: the same as long as there are the same flags in the same order. */
type Graph = {
  slugs: readonly string[];
  places: ReadonlyMap<string, number>;
  texts: string[];
  needs: (readonly Need[])[];
};

/** A needed flag with its place; undefined for a missing one. */
type Need = Requirement & { at: number | undefined };

/** Results of flags, and what they miss, each with the epoch that it is of. */
type Known = {
  results: (Evaluation | undefined)[];
  missing: (string | undefined)[];
  resultAt: Float64Array;
  missingAt: Float64Array;
};

const NOTHING = { reason: "DISABLED" } as const;
const OFF = { value: false, variant: "off", reason: "DISABLED" } as const;

/** `decideOf` has the rules of the flags with variants; `shared` is that of the snapshot before. */
export function createPrerequisites(
  records: readonly FlagValues[],
  decideOf: (slug: string) => Decide | undefined,
  shared: Prerequisites["shared"] = { graph: undefined },
): Prerequisites {
  const { placeOf, needsOf } = placesOf(records, shared);
  const accepts = acceptance(records);

  // By the place of each flag, for the subject that is `epoch`. Evaluations are synchronous: one runs at a time.
  let known: Known | undefined;
  let [epoch, lastSubject, lastNow] = [0, null as Subject | null, 0];
  const missingOf = (at: number, subject: Subject, now: number): string | undefined => {
    const { missing, missingAt } = known!;
    if (missingAt[at] === epoch) return missing[at];
    missingAt[at] = epoch;
    // No flag needs itself: where one would, it ends here.
    missing[at] = records[at]!.slug;
    let found: string | undefined;
    for (const need of needsOf(at))
      if (need.at === undefined || !accepts(need, need.at, resultOf(need.at, subject, now))) {
        found = need.flag;
        break;
      }
    missing[at] = found;
    return found;
  };
  const resultOf = (at: number, subject: Subject, now: number): Evaluation => {
    const { results, resultAt } = known!;
    if (resultAt[at] === epoch) return results[at]!;
    const record = records[at]!;
    const isFulfilled = record.requires === "" || missingOf(at, subject, now) === undefined;
    const decide = record.rules === null ? noRules : (decideOf(record.slug) ?? noRules);
    const result = isFulfilled ? evaluateFlag(record, decide, subject, now) : offOf(record);
    results[at] = result;
    resultAt[at] = epoch;
    return result;
  };
  const begin = (subject: Subject, now: number) => {
    known ??= knownOf(records.length);
    if (subject === lastSubject && now === lastNow) return;
    epoch += 1;
    lastSubject = subject;
    lastNow = now;
  };
  return {
    shared,
    unfulfilled(record, subject, now) {
      const at = record.requires === "" ? undefined : placeOf(record);
      if (at === undefined) return undefined;
      begin(subject, now);
      return missingOf(at, subject, now);
    },
    evaluates(record) {
      const decide = decideOf(record.slug) ?? noRules;
      if (record.requires === "") return (subject, now) => evaluateFlag(record, decide, subject, now);
      let at: number;
      return needing(
        record,
        (subject, now) => resultOf(at, subject, now),
        (subject, now) => {
          at ??= placeOf(record)!;
          begin(subject, now);
          return missingOf(at, subject, now);
        },
      );
    },
    *below(record) {
      const first = record.requires === "" ? undefined : placeOf(record);
      const seen = new Set(first === undefined ? [] : [first]);
      for (const each of seen)
        for (const { at } of needsOf(each)) {
          if (at === undefined || seen.has(at)) continue;
          seen.add(at);
          yield records[at]!;
        }
    },
  };
}

/** The places of flags, and what the flag at a place needs. */
function placesOf(records: readonly FlagValues[], shared: Prerequisites["shared"]) {
  let own: Graph | undefined;
  const graph = (): Graph => (own ??= shared.graph = graphOf(records, shared.graph));
  /** Most flags are asked for in their order. */
  let next = 0;
  const placeOf = (record: FlagValues): number | undefined => {
    const at = records[next] === record ? next : graph().places.get(record.slug);
    if (at !== undefined) next = at + 1;
    return at;
  };
  const needsOf = (at: number): readonly Need[] => {
    const { needs, texts, places } = graph();
    const { requires } = records[at]!;
    if (texts[at] !== requires) {
      needs[at] = requirementsOf(requires).map((each) => ({ ...each, at: places.get(each.flag) }));
      texts[at] = requires;
    }
    return needs[at]!;
  };
  return { placeOf, needsOf };
}

/** Whether the result of the flag at a place is what is needed of it. A flag without a value fulfils nothing. */
function acceptance(records: readonly FlagValues[]): (need: Need, at: number, result: Evaluation) => boolean {
  /** The result that a flag with variants has to have, where no variants are named: true, or any variant but its default. */
  const usual: (true | { variant: string | null | undefined })[] = [];
  return ({ variants }, at, result) => {
    if ("errorCode" in result || result.variant === undefined) return false;
    if (variants)
      return variants.includes(result.variant) || (result.value === false && variants.includes("off"));
    const { rules } = records[at]!;
    const wanted = rules === null || (usual[at] ??= usualOf(rules));
    return wanted === true ? result.value === true : result.variant !== wanted.variant;
  };
}

/** The graph of some flags, which is the one before if it has the same. */
function graphOf(records: readonly FlagValues[], before: Graph | undefined): Graph {
  const isSame =
    before?.slugs.length === records.length && records.every(({ slug }, at) => slug === before.slugs[at]);
  if (isSame) return before;
  const slugs = records.map(({ slug }) => slug);
  const places = new Map(slugs.map((slug, at) => [slug, at]));
  return { slugs, places, texts: slugs.map(() => ""), needs: slugs.map(() => []) };
}

function knownOf(count: number): Known {
  return {
    results: Array.from({ length: count }),
    missing: Array.from({ length: count }),
    resultAt: new Float64Array(count),
    missingAt: new Float64Array(count),
  };
}

function usualOf(text: string): true | { variant: string | null | undefined } {
  const { variants, defaultVariant } = parseRules(text);
  return areBoolean(variants) || { variant: defaultVariant };
}

/** The evaluation of a flag that needs others, of which `missingOf` names the first that is not as it has to be. */
function needing(
  record: FlagValues,
  evaluate: EvaluateFlag,
  missingOf: (subject: Subject, now: number) => string | undefined,
): EvaluateFlag {
  const off = new Map<string, Evaluation>();
  const on = new Map<Evaluation, Evaluation>();
  return (subject, now) => {
    const missing = missingOf(subject, now);
    if (missing === undefined) {
      const own = evaluate(subject, now);
      if ("errorCode" in own || own.reason === "DISABLED" || own.variant === undefined) return own;
      // Not static any more: it depends on the context.
      let result = on.get(own);
      if (!result) on.set(own, (result = { ...own, reason: "TARGETING_MATCH" }));
      return result;
    }
    let result = off.get(missing);
    if (!result) off.set(missing, (result = { ...offOf(record), prerequisite: missing }));
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
