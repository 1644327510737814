import type { Context, Evaluation } from "./flags.ts";

/** Results of flags that a server rendered, and the fingerprint of the context that they are for. */
export type Bootstrap = { flags: Record<string, Evaluation>; for: string };

/** The id of the element that has them. */
export const ELEMENT = "formflag";

/** A short text that differs for each context, whatever the order of its members. No context can be derived from it. */
export function fingerprintOf(context: Context): string {
  const text = JSON.stringify(context, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
