import type { FlagValues } from "../flag.ts";
import type { Evaluation, Subject } from "../flagd/evaluate.ts";
import { type Decide, evaluateFlag } from "../flagd/evaluate-flag.ts";
import { areBoolean, parseRules } from "../rules/rules.ts";
import { type Requirement, requirementsOf } from "./requirement.ts";

/** Evaluates a flag. The same result is the same object, unless it is an error. */
export type EvaluateFlag = (subject: Subject, now: number) => Evaluation;

/** The evaluation of flags that may need others, which are evaluated for the same subject. */
export type Prerequisites = {
  /** The evaluation of a flag: where it needs nothing, only its own. */
  evaluates: (record: FlagValues) => EvaluateFlag;
  /** The first flag that a flag needs and that is not as it has to be; undefined if all are. */
  unfulfilled: (record: FlagValues, subject: Subject, now: number) => string | undefined;
  /** The flags that a flag needs, and that these need. */
  below: (record: FlagValues) => Iterable<FlagValues>;
};

type Need = { flag: string; accepts: (result: Evaluation) => boolean };

/** Results of the flags that others need, for the subject of the evaluation. Evaluations are synchronous: one runs at a time. */
type Memo = { subject: Subject | null; now: number; results: Map<string, Evaluation> };

const NOTHING: Evaluation = { reason: "DISABLED" };

/** `decideOf` has the rules of the flags with variants. */
export function createPrerequisites(
  records: readonly FlagValues[],
  decideOf: (slug: string) => Decide | undefined,
): Prerequisites {
  let bySlug: ReadonlyMap<string, FlagValues> | undefined;
  const find = (slug: string) =>
    (bySlug ??= new Map(records.map((record) => [record.slug, record]))).get(slug);
  const known = new Map<string, readonly Need[]>();
  const needsOf = ({ slug, requires }: FlagValues): readonly Need[] => {
    let needs = known.get(slug);
    if (!needs) {
      needs = requirementsOf(requires).map((each) => ({
        flag: each.flag,
        accepts: acceptance(each, find(each.flag)),
      }));
      known.set(slug, needs);
    }
    return needs;
  };
  const evaluators = new Map<string, EvaluateFlag>();
  const memo: Memo = { subject: null, now: 0, results: new Map() };
  const resultOf = (slug: string, subject: Subject, now: number): Evaluation => {
    const before = memo.results.get(slug);
    if (before) return before;
    let evaluate = evaluators.get(slug);
    if (!evaluate) {
      const record = find(slug);
      evaluators.set(slug, (evaluate = record ? evaluates(record) : () => NOTHING));
    }
    // No flag needs itself: where one would, it ends here.
    memo.results.set(slug, NOTHING);
    const result = evaluate(subject, now);
    memo.results.set(slug, result);
    return result;
  };
  const unfulfilled: Prerequisites["unfulfilled"] = (record, subject, now) => {
    if (record.requires === "") return undefined;
    if (memo.subject !== subject || memo.now !== now)
      Object.assign(memo, { subject, now, results: new Map() });
    for (const { flag, accepts } of needsOf(record)) if (!accepts(resultOf(flag, subject, now))) return flag;
    return undefined;
  };
  const evaluates: Prerequisites["evaluates"] = (record) => {
    const decide = decideOf(record.slug) ?? noRules;
    if (record.requires === "") return (subject, now) => evaluateFlag(record, decide, subject, now);
    const off = new Map<string, Evaluation>();
    const on = new Map<Evaluation, Evaluation>();
    return (subject, now) => {
      const missing = unfulfilled(record, subject, now);
      if (missing === undefined) {
        const own = evaluateFlag(record, decide, subject, now);
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
  };
  return {
    unfulfilled,
    evaluates,
    *below(record) {
      const seen = new Set<FlagValues>([record]);
      for (const each of seen)
        for (const { flag } of each.requires === "" ? [] : needsOf(each)) {
          const needed = find(flag);
          if (!needed || seen.has(needed)) continue;
          seen.add(needed);
          yield needed;
        }
    },
  };
}

/** The result of a flag while it is off. */
function offOf(record: FlagValues) {
  return record.rules === null
    ? ({ value: false, variant: "off", reason: "DISABLED" } as const)
    : ({ reason: "DISABLED" } as const);
}

/** Whether a result of a flag is what a requirement asks for. A flag without a value fulfils none. */
function acceptance({ variants }: Requirement, record: FlagValues | undefined): Need["accepts"] {
  if (variants) {
    const takesFalse = variants.includes("off");
    return (result) =>
      "variant" in result &&
      result.variant !== undefined &&
      (variants.includes(result.variant) || (takesFalse && result.value === false));
  }
  const rules = record?.rules == null ? null : parseRules(record.rules);
  if (rules === null || areBoolean(rules.variants))
    return (result) => "value" in result && result.value === true;
  const { defaultVariant } = rules;
  return (result) => "variant" in result && result.variant !== undefined && result.variant !== defaultVariant;
}

function noRules(): never {
  throw new Error("a plain flag has no rules");
}
