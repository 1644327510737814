import { sha256 } from "../../base/sum.ts";
import type { FlagValues } from "../flag.ts";
import type { SegmentRecord } from "../segment.ts";
import type { Members } from "../members.ts";
import { type Decide, createDecide } from "./evaluate-flag.ts";
import type { Segments } from "./nested-segments.ts";

/** The rules of a flag, with their text and a hash of the segments that they are compiled from. */
export type Compiled = { source: string; decide: Decide; compile: () => void };

/** The rules of flags with variants by slug. `members` is the same object for what is compiled from `before` on. Rules that are in `before` already are not compiled again. */
export function compileRules<T extends { source: string }>(
  records: readonly FlagValues[],
  segments: readonly SegmentRecord[],
  before: ReadonlyMap<string, T> | undefined,
  members: Members | null = null,
): Map<string, T | Compiled> {
  const hash = sha256(JSON.stringify(segments.map(({ name, rule }) => [name, rule])));
  const byName: Segments = { ...parsedOnDemand(segments), members };
  const compiled = new Map<string, T | Compiled>();
  for (const { slug, rules } of records) {
    if (rules === null) continue;
    // The text of the segments would be as large for each flag as all of them together.
    const source = rules.includes("$ref") ? `${rules} ${hash}` : rules;
    const known = before?.get(slug);
    compiled.set(slug, known?.source === source ? known : { source, ...createDecide(slug, rules, byName) });
  }
  return compiled;
}

/** Compiles rules that are not those of a flag, at their first evaluation. */
export function compileOne(
  slug: string,
  rules: string,
  segments: readonly SegmentRecord[],
  members: Members | null = null,
): { decide: Decide } {
  return createDecide(slug, rules, { ...parsedOnDemand(segments), members });
}

/** Each rule is parsed for the first flag that refers to it: all of them can have megabytes. */
function parsedOnDemand(segments: readonly SegmentRecord[]): Segments {
  const texts = new Map(segments.map(({ name, rule }) => [name, rule]));
  const rules = new Map<string, unknown>();
  return {
    size: texts.size,
    has: (name) => texts.has(name),
    get(name) {
      if (!rules.has(name) && texts.has(name)) rules.set(name, JSON.parse(texts.get(name)!));
      return rules.get(name);
    },
  };
}
