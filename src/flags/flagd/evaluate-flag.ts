import { type FlagValues, isOn, parsePayload } from "../flag.ts";
import { parseRules } from "../rules/rules.ts";
import { type Evaluation, type Subject, compileFlag } from "./evaluate.ts";
import type { Segments } from "./nested-segments.ts";

/** Name of the only variant of a payload. */
const PAYLOAD_VARIANT = "payload";

const ON: Evaluation = { value: true, variant: "on", reason: "STATIC" };
const OFF: Evaluation = { value: false, variant: "off", reason: "DISABLED" };
const DISABLED: Evaluation = { reason: "DISABLED" };
const UNSERVED: Evaluation = { reason: "DEFAULT" };

/** Evaluates the rules of a flag with variants that is on. */
export type Decide = (subject: Subject) => Evaluation;

/** Compiles the rules at the first evaluation, since most flags are rarely evaluated, or when `compile` is called. */
export function createDecide(
  slug: string,
  rules: string,
  segments: Segments,
): { decide: Decide; compile: () => void } {
  let run: Decide | undefined;
  const compile = () => (run ??= compileFlag(slug, parseRules(rules), segments));
  return { decide: (subject) => (run ?? compile())(subject), compile };
}

/**
 * Evaluates a flag; `decide` evaluates its rules. A flag without variants always has a value: without one, readers
 * would use their own default, and a flag that is off could read true. A flag with variants that is off has no value,
 * as in flagd.
 */
export function evaluateFlag(record: FlagValues, decide: Decide, subject: Subject, now: number): Evaluation {
  if (record.rules === null) return isOn(record, now) ? ON : OFF;
  return isOn(record, now) ? decide(subject) : DISABLED;
}

/**
 * Returns a function that evaluates the payload of a flag as a flag of its own. A reader for whom the flag is true gets
 * the payload, or `{}` if none is set; other readers get no value. Equal results are the same object, except errors.
 */
export function createPayload(
  record: FlagValues,
  evaluate: (subject: Subject, now: number) => Evaluation,
): (subject: Subject, now: number) => Evaluation {
  const value = parsePayload(record.payload);
  const served = new Map<Evaluation, Evaluation>();
  return (subject, now) => {
    const own = evaluate(subject, now);
    if ("errorCode" in own) return own;
    let payload = served.get(own);
    if (!payload) served.set(own, (payload = payloadFor(own, value)));
    return payload;
  };
}

function payloadFor(own: Exclude<Evaluation, { errorCode: string }>, value: unknown): Evaluation {
  const { reason, prerequisite } = own;
  if (own.value === true) return { value, variant: PAYLOAD_VARIANT, reason };
  if (reason !== "DISABLED") return UNSERVED;
  return prerequisite === undefined ? DISABLED : { reason, prerequisite };
}
