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

type Need = { flag: string; node: Node | undefined; accepts: (result: Evaluation) => boolean };

/** A flag with its result for the subject that is `epoch`. Evaluations are synchronous: one runs at a time. */
type Node = { record: FlagValues; needs: readonly Need[] | undefined; epoch: number; result: Evaluation };

const NOTHING = { reason: "DISABLED" } as const;
const OFF = { value: false, variant: "off", reason: "DISABLED" } as const;

/** `decideOf` has the rules of the flags with variants. */
export function createPrerequisites(
  records: readonly FlagValues[],
  decideOf: (slug: string) => Decide | undefined,
): Prerequisites {
  let bySlug: ReadonlyMap<string, FlagValues> | undefined;
  const find = (slug: string) =>
    (bySlug ??= new Map(records.map((record) => [record.slug, record]))).get(slug);
  const nodes = new Map<string, Node>();
  const nodeOf = (slug: string): Node | undefined => {
    const known = nodes.get(slug);
    const record = known ? undefined : find(slug);
    if (!record) return known;
    const node: Node = { record, needs: undefined, epoch: 0, result: NOTHING };
    nodes.set(slug, node);
    return node;
  };
  const needsOf = ({ requires }: FlagValues): readonly Need[] =>
    requirementsOf(requires).map((each) => {
      const node = nodeOf(each.flag);
      return { flag: each.flag, node, accepts: acceptance(each, node?.record) };
    });
  let [epoch, lastSubject, lastNow] = [0, null as Subject | null, 0];
  const first = (node: Node, subject: Subject, now: number): string | undefined => {
    for (const need of (node.needs ??= needsOf(node.record)))
      if (!need.accepts(resultOf(need.node, subject, now))) return need.flag;
    return undefined;
  };
  const resultOf = (node: Node | undefined, subject: Subject, now: number): Evaluation => {
    if (!node) return NOTHING;
    if (node.epoch === epoch) return node.result;
    const { record } = node;
    // No flag needs itself: where one would, it ends here.
    node.epoch = epoch;
    node.result = NOTHING;
    const isFulfilled = record.requires === "" || first(node, subject, now) === undefined;
    node.result = isFulfilled
      ? evaluateFlag(record, decideOf(record.slug) ?? noRules, subject, now)
      : offOf(record);
    return node.result;
  };
  const unfulfilled: Prerequisites["unfulfilled"] = ({ slug, requires }, subject, now) => {
    const node = requires === "" ? undefined : nodeOf(slug);
    if (!node) return undefined;
    if (subject !== lastSubject || now !== lastNow) [epoch, lastSubject, lastNow] = [epoch + 1, subject, now];
    return first(node, subject, now);
  };
  const evaluates: Prerequisites["evaluates"] = (record) => {
    const decide = decideOf(record.slug) ?? noRules;
    if (record.requires === "") return (subject, now) => evaluateFlag(record, decide, subject, now);
    const own: EvaluateFlag = (subject, now) => evaluateFlag(record, decide, subject, now);
    return needing(record, own, (subject, now) => unfulfilled(record, subject, now));
  };
  return {
    unfulfilled,
    evaluates,
    *below(record) {
      const seen = new Set<FlagValues>([record]);
      for (const each of seen)
        for (const { node } of each.requires === "" ? [] : needsOf(each)) {
          const needed = node?.record;
          if (!needed || seen.has(needed)) continue;
          seen.add(needed);
          yield needed;
        }
    },
  };
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
