import { type FlagRecord, hasExpired } from "../flag.ts";
import { parseRules } from "../rules.ts";
import { type Context, type Evaluation, compileFlag } from "./evaluate.ts";
import type { Segments } from "./segments.ts";

/** What the one variant of a plain flag's payload is called. */
const PAYLOAD_VARIANT = "payload";

const ON: Evaluation = { value: true, variant: "on", reason: "STATIC" };
const OFF: Evaluation = { value: false, variant: "off", reason: "DISABLED" };

/** What the rules of a flag with variants decide while it is on. */
export type Decide = (context: Context) => Evaluation;

/** Compiled when first asked, since most of many flags hardly ever are. */
export function createDecide(slug: string, rules: string, segments: Segments): Decide {
  let run: Decide | undefined;
  return (context) => (run ??= compileFlag(slug, parseRules(rules), segments))(context);
}

/**
 * What a flag is for a context; `decide` is its rules'. A plain flag always has a value: a reader would else fall back
 * to a default of its own, and a flag that was turned off could read true. One with variants that is off has none, as
 * in flagd.
 */
export function evaluateFlag(record: FlagRecord, decide: Decide, context: Context, now: number): Evaluation {
  const isOn = record.enabled && !hasExpired(record, now);
  if (record.rules === null) return isOn ? ON : OFF;
  return isOn ? decide(context) : { reason: "DISABLED" };
}

/** The payload of a plain flag, which is evaluated as a flag of its own: `{}` where none is set, nothing while off. */
export function evaluatePayload(record: FlagRecord, now: number): Evaluation {
  if (!record.enabled || hasExpired(record, now)) return { reason: "DISABLED" };
  const value: unknown = record.payload === null ? {} : JSON.parse(record.payload);
  return { value, variant: PAYLOAD_VARIANT, reason: "STATIC" };
}
