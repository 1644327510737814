import type { Evaluation } from "./flags.ts";

/** Results of flags that a server rendered. */
export type Bootstrap = {
  flags: Record<string, Evaluation>;
  /** The fingerprint of the context that they are for. */
  for: string;
  /** The fingerprint of the results: a name for a domain whose providers are alike. */
  id: string;
};

/** The id of the element that has them. */
export const ELEMENT = "formflag";

/** A short text that differs for each context, whatever the order of its members, and from which none can be derived. */
export function fingerprintOf(context: object): string {
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
