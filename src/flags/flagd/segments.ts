import { RULE_LIMITS } from "../limits.ts";
import { referencesOf } from "../segment.ts";

/** Rules by name. */
export type Segments = ReadonlyMap<string, unknown>;

/** How deep segments may refer to segments. */
const MAX_NESTED = 16;

/**
 * The segments that refer to themselves, also through others, or deeper than `MAX_NESTED`, each with what is wrong with
 * it: those that a change from `before` to `after` makes so.
 */
export function findNestingFaults(before: Segments, after: Segments): Map<string, string> {
  const [was, is] = [nestingOf(before), nestingOf(after)];
  const faults = new Map<string, string>();
  for (const [name, rule] of after) {
    const fault = is(name);
    const isOld = Bun.deepEquals(before.get(name), rule, true) && was(name) !== undefined;
    if (fault !== undefined && !isOld) faults.set(name, fault);
  }
  return faults;
}

function nestingOf(segments: Segments): (name: string) => string | undefined {
  /** How many segments the longest chain from each has. */
  const heights = new Map<string, number>();
  const tooDeep = new RangeError(`segments refer to one another at most ${MAX_NESTED} deep`);
  const heightOf = (name: string, way: string[]): number => {
    const known = heights.get(name);
    if (known !== undefined) return known;
    if (way.includes(name))
      throw new RangeError(`it refers to itself: ${[...way.slice(way.indexOf(name)), name].join(" > ")}`);
    if (way.length === MAX_NESTED) throw tooDeep;
    let height = 1;
    for (const next of referencesOf(JSON.stringify(segments.get(name))))
      if (segments.has(next)) height = Math.max(height, 1 + heightOf(next, [...way, name]));
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
 * A rule with every `{"$ref": name}` replaced by the segment of that name, and so on in what that refers to: in any
 * order, where flagd only finds those that stand behind. What refers to none is left, as is one that comes back to
 * itself. Throws `RangeError` for a rule that grows beyond `RULE_LIMITS.nodes`.
 */
export function putIn(segments: Segments, rule: unknown): unknown {
  if (segments.size === 0 || !hasReference(rule)) return rule;
  let whole = rule;
  let found = true;
  const find = (name: string) => {
    if (!segments.has(name)) return undefined;
    found = true;
    return { by: segments.get(name) };
  };
  for (let nested = 0; nested < MAX_NESTED && found; nested += 1) {
    found = false;
    whole = replace(whole, { left: RULE_LIMITS.nodes }, find);
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
