import { RULE_LIMITS } from "../limits.ts";

/** Rules by name, in the order in which they are put in. */
export type Segments = ReadonlyMap<string, unknown>;

/**
 * A rule with every `{"$ref": name}` replaced by the segment of that name: one segment after the other, as flagd does,
 * so that a segment may refer to those behind it. What refers to none is left. Throws `RangeError` for a rule that
 * grows beyond `RULE_LIMITS.nodes`.
 */
export function putIn(segments: Segments, rule: unknown): unknown {
  if (segments.size === 0 || !hasReference(rule)) return rule;
  let whole = rule;
  for (const [name, segment] of segments) {
    const budget = { left: RULE_LIMITS.nodes };
    whole = replace(whole, budget, (reference) => (reference === name ? { by: segment } : undefined));
  }
  return whole;
}

/** A rule in which what refers to no segment is replaced by `rule`. */
export function putInForMissing(rule: unknown, by: unknown): unknown {
  return replace(rule, { left: RULE_LIMITS.nodes }, () => ({ by }));
}

function hasReference(rule: unknown): boolean {
  return JSON.stringify(rule).includes('"$ref"');
}

function replace(
  value: unknown,
  budget: { left: number },
  find: (name: string) => { by: unknown } | undefined,
): unknown {
  if ((budget.left -= 1) < 0) throw new RangeError(`a rule has at most ${RULE_LIMITS.nodes} values`);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => replace(each, budget, find));
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only![0] === "$ref" && typeof only![1] === "string") {
    const found = find(only![1]);
    if (found) {
      budget.left -= JSON.stringify(found.by).length / 8;
      return found.by;
    }
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, replace(each, budget, find)]));
}
