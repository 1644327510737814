import type { ChangeNotice } from "../delivery/notices/change-notice.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import type { FlagChange } from "./change.ts";
import { SHARED_NAMES } from "./flag-fields.ts";
import type { FlagPlace, FlagRecord } from "./flag.ts";
import { flagState } from "./history.ts";
import { SALT_BYTES } from "./ramps/guard.ts";
import { isBegun, type Ramp, type RampEvent } from "./ramps/ramp.ts";
import { rampState } from "./ramps/ramp-view.ts";
import type { ScheduledChange } from "./schedule/scheduled-change.ts";
import { type SegmentDefinition, type SegmentPlace, type SegmentRecord, definitionOf } from "./segment.ts";

/** The change that gives a flag other values in an environment; `before` is undefined if it is new. */
export function putFlag(place: FlagPlace, before: FlagRecord | undefined, record: FlagRecord): FlagChange {
  return {
    change: "putFlag",
    ...place,
    record,
    describes: SHARED_NAMES.some((name) => before?.[name] !== record[name]),
    history: {
      environment: place.environment,
      kind: "flag",
      name: place.flag,
      before: before ? flagState(before) : null,
      after: flagState(record),
    },
  };
}

/** A change of a flag that follows from something else, which the history names before the reason of the caller. */
export function because(flagChange: FlagChange, cause: string): FlagChange {
  const { history } = flagChange;
  return history ? { ...flagChange, history: { ...history, cause } } : flagChange;
}

/** The change that stores a ramp, which the history records unless only a step differs. */
export function putRamp(
  project: string,
  before: Ramp | undefined,
  ramp: Ramp,
  ...events: RampEvent[]
): FlagChange {
  const { environment, flag: name, status } = ramp;
  const isStep = before?.status === status;
  const was = before && rampState(before);
  const history = { environment, kind: "ramp" as const, name, before: was ?? null, after: rampState(ramp) };
  return { change: "putRamp", project, ramp, events, counting: null, history: isStep ? null : history };
}

/** The same for a step or a resume of a ramp, whose guards start counting here. */
export function putStep(
  { random, now }: ClockAndRandom,
  project: string,
  before: Ramp | undefined,
  ramp: Ramp,
  ...events: RampEvent[]
): FlagChange {
  const change = putRamp(project, before, ramp, ...events);
  const isCounted = ramp.guards.length > 0 && ramp.status === "running" && isBegun(ramp);
  if (!isCounted) return change;
  const counting = { salt: Buffer.from(random(SALT_BYTES)).toString("hex"), startedAt: now() };
  return { ...change, counting } as FlagChange;
}

/** Schedules a change. History records it when it is applied. */
export function planScheduled(project: string, scheduled: ScheduledChange): FlagChange {
  const notice = scheduledNotice(scheduled, null);
  return { change: "insertScheduled", project, scheduled, history: null, notice };
}

/** Drops a scheduled change for a reason, which the history has if the change failed. */
export function dropScheduled(
  project: string,
  scheduled: ScheduledChange,
  reason: string,
  isFailure: boolean,
): FlagChange {
  const { id, environment, flag, patch } = scheduled;
  const after = { dropped: reason, change: patch };
  const history = { environment, kind: "scheduled" as const, name: flag, before: null, after };
  return {
    change: "deleteScheduled",
    project,
    environment,
    id,
    history: isFailure ? history : null,
    notice: scheduledNotice(scheduled, reason),
  };
}

/** `dropped` is why the change is not made; null for one that is to come. */
function scheduledNotice(
  { id, environment, flag, patch }: ScheduledChange,
  dropped: string | null,
): ChangeNotice {
  const [before, after] = dropped === null ? [null, patch] : [patch, null];
  const members = { scheduled: id, dropped };
  return { type: "flag.scheduled", environment, name: flag, before, after, members };
}

/** The change that deletes a flag everywhere; `records` holds its values by environment. */
export function dropFlag(project: string, flag: string, records: Map<string, FlagRecord>): FlagChange {
  const states = [...records].map(([environment, record]) => [environment, flagState(record)]);
  const before = { environments: Object.fromEntries(states) };
  const history = { environment: null, kind: "flag" as const, name: flag, before, after: null };
  return { change: "deleteFlag", project, flag, history };
}

/** The change that gives a segment another rule or source. */
export function putSegment(
  place: SegmentPlace,
  before: SegmentDefinition | undefined,
  record: SegmentRecord,
): FlagChange {
  const { project } = place;
  const [was, is] = [before ? definitionOf(before, project) : null, definitionOf(record, project)];
  return { change: "putSegment", ...place, record, history: segmentHistory(place, was, is) };
}

/** The change that deletes a segment. */
export function dropSegment(place: SegmentPlace, before: SegmentDefinition): FlagChange {
  const was = definitionOf(before, place.project);
  return { change: "deleteSegment", ...place, history: segmentHistory(place, was, null) };
}

/** The change that approves values of a segment, or all that are pending. The history counts them: they may be erased. */
export function approveMembers(
  place: SegmentPlace,
  values: readonly string[] | null,
  { pending, approved }: { pending: number; approved: number },
): FlagChange {
  const history = segmentHistory(place, { pending }, { pending: pending - approved });
  return { change: "approveMembers", ...place, values, history };
}

/** The change that takes back the approval of values of a segment. The history counts them. */
export function suspendMembers(place: SegmentPlace, values: readonly string[], pending: number): FlagChange {
  const history = segmentHistory(place, { pending }, { pending: pending + values.length });
  return { change: "suspendMembers", ...place, values, history };
}

/** The change that puts the segments of an environment in an order. */
export function orderSegments(project: string, environment: string, names: string[]): FlagChange {
  return { change: "orderSegments", project, environment, names, history: null };
}

function segmentHistory({ environment, segment }: SegmentPlace, before: unknown, after: unknown) {
  return { environment, kind: "segment" as const, name: segment, before, after };
}
