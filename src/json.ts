/** Containers inside containers: 0 for `1`, 1 for `{"a":1}`. Looks no deeper than `limit` + 1. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (limit === 0) return 1;
  let deepest = 0;
  for (const child of childrenOf(value)) {
    const depth = depthOf(child, limit - 1);
    if (depth > deepest) deepest = depth;
    if (deepest > limit - 1) break;
  }
  return deepest + 1;
}

/** What an array or an object holds. `Object.values` of a long array takes thirty times as long as going through it. */
export function childrenOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value);
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether JSON, as bytes that are not yet known to be JSON, holds more than `limit` containers inside each other.
 * Parsing finds out too late: a megabyte of brackets takes it eighty megabytes and a fifth of a second.
 */
export function isDeeper(json: Uint8Array, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      for (at += 1; at < json.length && json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}
