import { RULE_LIMITS } from "../limits.ts";

/** Rules by name. */
export type Segments = ReadonlyMap<string, unknown>;

/** How deep segments may refer to segments. */
const MAX_NESTED = 16;

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
