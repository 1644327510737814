/** The value that a rule reads as `$flagd`. */
export type Flagd = { readonly flagKey: string; readonly timestamp: number };

/** The context of the current evaluation. Evaluations are synchronous: one runs at a time. */
let context: unknown;
let flagd: Flagd = { flagKey: "", timestamp: 0 };
/** The context with `$flagd`, made for a rule that reads all of it. */
let everything: object | null = null;

export function begin(of: unknown, as: Flagd): void {
  context = of;
  flagd = as;
  everything = null;
}

/** Whether data is the whole context: in a loop, an element has its place. */
export function isWhole(data: unknown): boolean {
  return data === context || (data === everything && data !== null);
}

export function wholeOf(data: unknown): unknown {
  if (!isWhole(data)) return data;
  return (everything ??= { ...(context as object), $flagd: flagd });
}

export function currentFlagd(): Flagd {
  return flagd;
}

/** A member of data; of a context, `$flagd` is what the evaluation adds to it. */
export function memberOf(data: unknown, name: string): unknown {
  return name === "$flagd" && isWhole(data)
    ? flagd
    : (data as Record<string, unknown> | null | undefined)?.[name];
}
