import { RULE_LIMITS } from "../limits.ts";
import type { Members } from "../members.ts";
import { referencesOf } from "../segment.ts";

/** Rules by name, and the members of segments that forms fill, by default none. */
export type Segments = Pick<ReadonlyMap<string, unknown>, "size" | "has" | "get"> & {
  members?: Members | null;
};

/** How deep segments may refer to segments. */
const MAX_NESTED = 16;

/**
 * Finds the segments that refer to themselves, also through others, or deeper than `MAX_NESTED`, because of a change from
 * `before` to `after`. Returns the fault of each by name.
 */
export function findNestingFaults(
  before: Segments,
  after: ReadonlyMap<string, unknown>,
): Map<string, string> {
  const [faultBefore, faultAfter] = [nestingFaults(before), nestingFaults(after)];
  const faults = new Map<string, string>();
  for (const [name, rule] of after) {
    const fault = faultAfter(name);
    const isOld = Bun.deepEquals(before.get(name), rule, true) && faultBefore(name) !== undefined;
    if (fault !== undefined && !isOld) faults.set(name, fault);
  }
  return faults;
}

function nestingFaults(segments: Segments): (name: string) => string | undefined {
  /** The length of the longest chain of references that starts at each segment. */
  const heights = new Map<string, number>();
  const tooDeep = new RangeError(`segments refer to one another at most ${MAX_NESTED} deep`);
  const heightOf = (name: string, path: string[]): number => {
    const known = heights.get(name);
    if (known !== undefined) return known;
    if (path.includes(name))
      throw new RangeError(`it refers to itself: ${[...path.slice(path.indexOf(name)), name].join(" > ")}`);
    if (path.length === MAX_NESTED) throw tooDeep;
    let height = 1;
    for (const next of referencesOf(JSON.stringify(segments.get(name))))
      if (segments.has(next)) height = Math.max(height, 1 + heightOf(next, [...path, name]));
    if (height > MAX_NESTED) throw tooDeep;
    heights.set(name, height);
    return height;
  };
  return (name) => {
    if (!segments.has(name)) return undefined;
    try {
      heightOf(name, []);
      return undefined;
    } catch (error) {
      if (error instanceof RangeError) return error.message;
      throw error;
    }
  };
}

/**
 * Replaces every `{"$ref": name}` in a rule with the segment of that name, recursively. Segments may be in any order,
 * while flagd finds only those after the reference. A reference to a missing segment, or back to itself, is kept.
 * Throws `RangeError` for a rule that grows beyond `RULE_LIMITS.nodes`.
 */
export function inlineSegments(segments: Segments, rule: unknown): unknown {
  if (segments.size === 0 || !hasReference(rule)) return rule;
  let whole = rule;
  let hasReplaced = true;
  const find = (name: string) => {
    if (!segments.has(name)) return undefined;
    hasReplaced = true;
    return { by: segments.get(name) };
  };
  for (let nested = 0; nested < MAX_NESTED && hasReplaced; nested += 1) {
    hasReplaced = false;
    whole = replace(whole, { left: RULE_LIMITS.nodes }, find);
  }
  return whole;
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
    const match = find(only![1]);
    if (match) {
      budget.left -= JSON.stringify(match.by).length / 8;
      return match.by;
    }
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, replace(each, budget, find)]));
}
