import type { FlagValues } from "../flag.ts";
import { type SegmentRecord, rulesBySegment } from "../segment.ts";
import { type Decide, createDecide } from "./flag.ts";

/** The rules of a flag, with the text of the rules and segments that they are compiled from. */
export type Compiled = { source: string; decide: Decide; compile: () => void };

/** The rules of flags with variants by slug. Rules that are in `before` already are not compiled again. */
export function compileRules<T extends { source: string }>(
  records: readonly FlagValues[],
  segments: readonly SegmentRecord[],
  before: ReadonlyMap<string, T> | undefined,
): Map<string, T | Compiled> {
  const byName = rulesBySegment(segments);
  const segmentsText = JSON.stringify([...byName]);
  const compiled = new Map<string, T | Compiled>();
  for (const { slug, rules } of records) {
    if (rules === null) continue;
    const source = `${rules} ${rules.includes("$ref") ? segmentsText : ""}`;
    const known = before?.get(slug);
    compiled.set(slug, known?.source === source ? known : { source, ...createDecide(slug, rules, byName) });
  }
  return compiled;
}
