import { type FlagValues, hasExpired } from "../flag.ts";
import { parseRules } from "../rules.ts";
import { type Evaluation, type Subject, compileFlag } from "./evaluate.ts";
import type { Segments } from "./segments.ts";

/** Name of the only variant of a plain flag's payload. */
const PAYLOAD_VARIANT = "payload";

const ON: Evaluation = { value: true, variant: "on", reason: "STATIC" };
const OFF: Evaluation = { value: false, variant: "off", reason: "DISABLED" };
const DISABLED: Evaluation = { reason: "DISABLED" };

/** Evaluates the rules of a flag with variants that is on. */
export type Decide = (subject: Subject) => Evaluation;

/** Compiles the rules at the first evaluation, since most flags are rarely evaluated. */
export function createDecide(slug: string, rules: string, segments: Segments): Decide {
  let run: Decide | undefined;
  return (subject) => (run ??= compileFlag(slug, parseRules(rules), segments))(subject);
}

/**
 * Evaluates a flag; `decide` evaluates its rules. A plain flag always has a value: without one, a reader
 * falls back to a default of its own, and a flag that was turned off could read true. A flag with variants that is off
 * has no value, as in flagd.
 */
export function evaluateFlag(record: FlagValues, decide: Decide, subject: Subject, now: number): Evaluation {
  const isOn = record.enabled && !hasExpired(record, now);
  if (record.rules === null) return isOn ? ON : OFF;
  return isOn ? decide(subject) : DISABLED;
}

/**
 * Returns a function that evaluates the payload of a plain flag, as a flag of its own: `{}` where none is set, no value while
 * the flag is off.
 */
export function createPayload(record: FlagValues): (now: number) => Evaluation {
  let served: Evaluation | undefined;
  return (now) => {
    if (!record.enabled || hasExpired(record, now)) return DISABLED;
    return (served ??= {
      value: JSON.parse(record.payload ?? "{}"),
      variant: PAYLOAD_VARIANT,
      reason: "STATIC",
    });
  };
}
