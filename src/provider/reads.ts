import { createSender } from "./sender.ts";
import type { SourceOptions } from "./store.ts";

/** Milliseconds between two reports. */
const INTERVAL = 60_000;
/** Flags of a report. */
const FLAGS = 500;

export type Reads = {
  /** Counts an evaluation to a variant; empty for none. */
  note: (key: string, variant: string) => void;
  /** Reports what was counted, once, within a time. */
  flush: (within: number) => Promise<void>;
};

/** Counts evaluations, and reports to the address of the flags how often each had each variant; never for whom. */
export function createReads(options: SourceOptions, address: string): Reads {
  const counts = new Map<string, Map<string, number>>();
  const { later, flush } = createSender(options, address, () => {
    const taken = [...counts].slice(0, FLAGS);
    for (const [key] of taken) counts.delete(key);
    const reads = taken.map(([key, variants]) => [key, Object.fromEntries(variants)]);
    return taken.length === 0 ? undefined : JSON.stringify({ reads: Object.fromEntries(reads) });
  });
  return {
    note(key, variant) {
      let variants = counts.get(key);
      if (!variants) counts.set(key, (variants = new Map()));
      variants.set(variant, (variants.get(variant) ?? 0) + 1);
      later(INTERVAL);
    },
    flush,
  };
}
