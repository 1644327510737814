import type { SetResult } from "../base/result.ts";
import type { FlagRecord } from "./flag.ts";
import type { FlagState } from "./history.ts";
import { type SegmentRecord, referencesOf } from "./segment.ts";

/** Which flags to copy between environments of a project: null is all. `segments` copies what their rules need too. */
export type PromotionOrder = { from: string; to: string; flags: string[] | null; segments: boolean };

/** What a promotion does. */
export type Promotion = {
  /** Those that change. */
  flags: { slug: string; result: SetResult; before: FlagState; after: FlagState }[];
  /** How many stay as they are. */
  unchanged: number;
  /** Those that rules refer to and that are another in the target; `before` is null where it has none. */
  segments: { name: string; copied: boolean; before: unknown; after: unknown }[];
};

/** The values of a flag in one environment, as it has them in another. */
export function withValuesOf({ enabled, payload, expiresAt, rules }: FlagRecord) {
  return (record: FlagRecord): FlagRecord => ({ ...record, enabled, payload, expiresAt, rules });
}

/** Of the segments those that the rules of these flags refer to, also through one another, in their order. */
export function segmentsNeeded(flags: FlagRecord[], segments: SegmentRecord[]): SegmentRecord[] {
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  const needed = new Set<SegmentRecord>();
  const look = (rule: string) => {
    for (const name of referencesOf(rule)) {
      const segment = byName.get(name);
      if (!segment || needed.has(segment)) continue;
      needed.add(segment);
      look(segment.rule);
    }
  };
  for (const { rules } of flags) look(rules ?? "");
  return segments.filter((segment) => needed.has(segment));
}
