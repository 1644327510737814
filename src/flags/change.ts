import type { HistoryEntry } from "../access/history-entry.ts";
import type { FlagPlace, FlagRecord } from "./flag.ts";
import type { ScheduledChange } from "./schedule/scheduled-change.ts";
import type { SegmentPlace, SegmentRecord } from "./segment.ts";

type Recorded = { history: HistoryEntry | null };

/** A change of flags, segments or scheduled changes, as the store applies it. */
export type FlagChange =
  /** Sets the values in one environment; a flag that is new to the project is created, and is off in the others. */
  | ({ change: "putFlag"; describes: boolean; record: FlagRecord } & FlagPlace & Recorded)
  | ({ change: "deleteFlag"; project: string; flag: string } & Recorded)
  | ({ change: "putSegment"; record: SegmentRecord } & SegmentPlace & Recorded)
  | ({ change: "deleteSegment" } & SegmentPlace & Recorded)
  /** Sets the order of all segments of an environment. */
  | { change: "orderSegments"; project: string; environment: string; names: string[]; history: null }
  | { change: "insertScheduled"; project: string; scheduled: ScheduledChange; history: null }
  | ({ change: "deleteScheduled"; project: string; id: string } & Recorded);
