/** The events of proposed changes that targets of a project hear of. */
export const CHANGE_NOTICES = [
  "change.proposed",
  "change.approved",
  "change.applied",
  "change.rejected",
] as const;

/** The events that targets of a project hear of. */
const NOTICE_TYPES = [
  "flag.changed",
  "flag.scheduled",
  "flag.expired",
  "flag.stale",
  "flag.removable",
  "segment.changed",
  "segment.full",
  "environment.changed",
  "ramp.stepped",
  "ramp.paused",
  "ramp.ended",
  "guard.fired",
  "experiment.started",
  "experiment.paused",
  "experiment.ended",
  "experiment.decided",
  ...CHANGE_NOTICES,
] as const;

export type NoticeType = (typeof NOTICE_TYPES)[number];

/** The families of events, such as `flag.*`. */
const FAMILIES = [...new Set(NOTICE_TYPES.map(familyOf))];

/** Events, and families of them, that a target may name. */
export const EVENT_FILTERS: readonly string[] = [...FAMILIES, ...NOTICE_TYPES];

/** The event of a delivery that gathers notices. */
export const DIGEST = "digest";

/** Whether a target hears of an event; null is for all. */
export function hears(events: readonly string[] | null, type: NoticeType): boolean {
  return events === null || events.some((event) => event === type || event === familyOf(type));
}

function familyOf(type: NoticeType): string {
  return `${type.slice(0, type.indexOf("."))}.*`;
}
