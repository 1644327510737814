import type { HistoryEntry } from "../access/history-entry.ts";
import type { ChangeNotice } from "../delivery/notices/change-notice.ts";
import type { FlagPlace, FlagRecord } from "./flag.ts";
import type { FiredGuard } from "./ramps/guard.ts";
import type { Ramp, RampEvent } from "./ramps/ramp.ts";
import type { ScheduledChange } from "./schedule/scheduled-change.ts";
import type { TestContext } from "./contexts/test-context.ts";
import type { SegmentPlace, SegmentRecord } from "./segment.ts";

type Recorded = { history: HistoryEntry | null; notice?: ChangeNotice | null };

/** A change of flags, segments, scheduled changes or ramps, as the store applies it. */
export type FlagChange =
  /** Sets the values in one environment; a flag that is new to the project is created, and is off in the others. */
  | ({
      change: "putFlag";
      describes: boolean;
      record: FlagRecord;
      /** Whether it is the step of a ramp, which has events of its own. */
      isStep?: boolean;
      /** Another variant that an experiment which is shipped makes the default. */
      newDefault?: string;
    } & FlagPlace &
      Recorded)
  | ({ change: "deleteFlag"; project: string; flag: string } & Recorded)
  | ({ change: "putSegment"; record: SegmentRecord } & SegmentPlace & Recorded)
  | ({ change: "deleteSegment" } & SegmentPlace & Recorded)
  /** Approves values of a segment that a form fills; null for all that are pending. */
  | ({ change: "approveMembers"; values: readonly string[] | null } & SegmentPlace & Recorded)
  /** Takes back the approval of such values. */
  | ({ change: "suspendMembers"; values: readonly string[] } & SegmentPlace & Recorded)
  | { change: "putTestContext"; project: string; context: TestContext; history: null }
  | { change: "deleteTestContext"; project: string; name: string; history: null }
  /** Sets the order of all segments of an environment. */
  | { change: "orderSegments"; project: string; environment: string; names: string[]; history: null }
  | {
      change: "insertScheduled";
      project: string;
      scheduled: ScheduledChange;
      history: null;
      notice?: ChangeNotice;
    }
  | ({ change: "deleteScheduled"; project: string; environment: string; id: string } & Recorded)
  /** Stores a ramp in place of the previous one of its flag, and notifies the targets of the project of `events`. */
  | ({
      change: "putRamp";
      project: string;
      ramp: Ramp;
      events: readonly RampEvent[];
      /** The measurement with which its guards begin to count; null to go on with the one they have. */
      counting: Counting | null;
      /** A guard that paused or aborted it, for the targets of the project. */
      fired?: FiredGuard;
    } & Recorded);

/** A measurement that begins, its salt as hex. */
export type Counting = { salt: string; startedAt: number };
