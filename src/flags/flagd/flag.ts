import { type FlagValues, hasExpired } from "../flag.ts";
import { parseRules } from "../rules.ts";
import { type Context, type Evaluation, compileFlag } from "./evaluate.ts";
import type { Segments } from "./segments.ts";

/** Name of the only variant of a plain flag's payload. */
const PAYLOAD_VARIANT = "payload";

const ON: Evaluation = { value: true, variant: "on", reason: "STATIC" };
const OFF: Evaluation = { value: false, variant: "off", reason: "DISABLED" };

/** Evaluates the rules of a flag with variants that is on. */
export type Decide = (context: Context) => Evaluation;

/** Compiles the rules at the first evaluation, since most flags are rarely evaluated. */
export function createDecide(slug: string, rules: string, segments: Segments): Decide {
  let run: Decide | undefined;
  return (context) => (run ??= compileFlag(slug, parseRules(rules), segments))(context);
}

/**
 * Evaluates a flag for a context; `decide` evaluates its rules. A plain flag always has a value: without one, a reader
 * falls back to a default of its own, and a flag that was turned off could read true. A flag with variants that is off
 * has no value, as in flagd.
 */
export function evaluateFlag(record: FlagValues, decide: Decide, context: Context, now: number): Evaluation {
  const isOn = record.enabled && !hasExpired(record, now);
  if (record.rules === null) return isOn ? ON : OFF;
  return isOn ? decide(context) : { reason: "DISABLED" };
}

/** Evaluates the payload of a plain flag, as a flag of its own: `{}` where none is set, no value while the flag is off. */
export function evaluatePayload(record: FlagValues, now: number): Evaluation {
  if (!record.enabled || hasExpired(record, now)) return { reason: "DISABLED" };
  const value: unknown = record.payload === null ? {} : JSON.parse(record.payload);
  return { value, variant: PAYLOAD_VARIANT, reason: "STATIC" };
}
