import type { SetResult } from "../base/result.ts";
import { sha256 } from "../base/sum.ts";
import { pick, SHARED } from "./flag-fields.ts";
import { BLANK, type FlagRecord } from "./flag.ts";
import type { FlagState } from "./history.ts";
import { type SegmentRecord, referencesOf } from "./segment.ts";

/** Which flags to copy between environments of a project: null is all. `segments` copies what their rules need too. */
export type PromotionOrder = { from: string; to: string; flags: string[] | null; segments: boolean };

/** What a promotion does. */
export type Promotion = {
  /** The flags that change. */
  flags: { slug: string; result: SetResult; before: FlagState; after: FlagState }[];
  /** The number of flags that stay as they are. */
  unchanged: number;
  /** Segments that the rules refer to and that are missing (`before` is null) or different in the target. */
  segments: { name: string; copied: boolean; before: unknown; after: unknown }[];
};

/** A text that differs for promotions that change different things. */
export function fingerprintOf({ flags, segments }: Promotion): string {
  return sha256(JSON.stringify([flags, segments]));
}

/** What an environment has for itself. */
const COPIED = (Object.keys(BLANK) as (keyof typeof BLANK)[]).filter(
  (name) => name !== "imported" && !(name in SHARED),
);

/** Returns a function that gives a record the values of another environment. */
export function withValuesOf(source: FlagRecord) {
  const values = pick(source, COPIED);
  return (record: FlagRecord): FlagRecord => ({ ...record, ...values });
}

/** The segments that the rules of these flags refer to, also through one another, in the order given. */
export function segmentsNeeded(flags: FlagRecord[], segments: SegmentRecord[]): SegmentRecord[] {
  if (segments.length === 0) return [];
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  const needed = new Set<SegmentRecord>();
  const addReferences = (rule: string) => {
    for (const name of referencesOf(rule)) {
      const segment = byName.get(name);
      if (!segment || needed.has(segment)) continue;
      needed.add(segment);
      addReferences(segment.rule);
    }
  };
  for (const { rules } of flags) addReferences(rules ?? "");
  return segments.filter((segment) => needed.has(segment));
}
