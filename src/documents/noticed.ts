import type { ChangeKind } from "../access/history-entry.ts";
import { type FieldChange, type Noticed, fieldChanges } from "../delivery/notices/change-notice.ts";
import { CHANGE_NOTICES, type NoticeType } from "../delivery/notices/notice-types.ts";
import { viewExperiment } from "../experiments/experiment.ts";
import { viewRamp } from "../flags/ramps/ramp-view.ts";
import { segmentState } from "../flags/segment.ts";
import type { ProposalChange } from "./changes/proposal-change.ts";
import type { ProposalView } from "./changes/proposal.ts";
import type { SetupChange } from "./setup.ts";

/** The most fields of a proposed change that its notice has beside the change itself. */
const MAX_FIELDS = 50;

/** How a change is noticed whose history has an entry of the kind; null for not at all. */
const NOTICED: Record<ChangeKind, NoticeType | null> = {
  flag: "flag.changed",
  segment: "segment.changed",
  environment: "environment.changed",
  scheduled: "flag.scheduled",
  // It has events of its own.
  ramp: null,
  experiment: null,
  project: null,
  form: null,
};

/** How a change is announced to the targets of its project; undefined if it is not. */
export function noticedChange(change: SetupChange): Noticed[] {
  if (change.change === "putRamp") {
    const { ramp } = change;
    return courseNotices(change, { ...ramp, name: ramp.flag }, { ramp: viewRamp(ramp) });
  }
  if (change.change === "putExperiment") {
    const { experiment } = change;
    return courseNotices(change, experiment, { experiment: viewExperiment(experiment) });
  }
  if (change.change === "insertProposal" || change.change === "updateProposal")
    return proposalNotices(change);
  // The event of its ramp says so.
  if (change.change === "putFlag" && change.isStep) return [];
  const noticed = noticedAs(change);
  return noticed === null ? [] : [noticed];
}

/** The notices of the events of a proposed change, as its webhooks get them: without settings of forms. */
function proposalNotices({
  project,
  proposal,
  events,
  ...more
}: ProposalChange & { change: "insertProposal" | "updateProposal" }): Noticed[] {
  const [environment, other] = proposal.environments;
  return events.flatMap(({ type, change }): Noticed[] => {
    const noticed = CHANGE_NOTICES.find((each) => each === type);
    if (noticed === undefined || change === undefined) return [];
    const last = change.reviews.at(-1)?.why ?? null;
    return [
      {
        project,
        environment: other === undefined ? (environment ?? null) : null,
        name: proposal.id,
        type: noticed,
        changes: noticed === "change.proposed" ? changesOf(change) : [],
        mail: "mail" in more ? more.mail : [],
        members: { change, ...(noticed === "change.rejected" && { why: last }) },
      },
    ];
  });
}

/** The fields that a proposed change sets, with their places if it sets those of several things. */
function changesOf({ differences }: ProposalView): FieldChange[] {
  const isOne = differences.length === 1;
  return differences
    .flatMap(({ path, before, after }) =>
      fieldChanges(before, after).map((each) => ({
        ...each,
        field: isOne ? each.field : `${path} ${each.field}`,
      })),
    )
    .slice(0, MAX_FIELDS);
}

/** The notices of the events of a ramp or an experiment, and of a guard that fired. */
function courseNotices(
  { project, events, history, fired }: SetupChange & { change: "putRamp" | "putExperiment" },
  { environment, name }: { environment: string; name: string },
  members: Noticed["members"],
): Noticed[] {
  const place = { project, environment, name };
  const changes = history ? fieldChanges(history.before, history.after) : [];
  const noticed = events.map((type): Noticed => ({ ...place, type, changes, members }));
  return fired
    ? [...noticed, { ...place, type: "guard.fired", changes: [], members: { ...fired } }]
    : noticed;
}

function noticedAs(change: SetupChange): Noticed | null {
  const history = "history" in change ? change.history : null;
  const own = "notice" in change ? change.notice : undefined;
  if (own === null || !("project" in change)) return null;
  const type = own?.type ?? (history && NOTICED[history.kind]);
  const { environment, name, before, after } = { ...history, ...own };
  if (!type || name === undefined || typeof change.project !== "string") return null;
  const isSegment = type === "segment.changed";
  const state = (value: unknown) => (isSegment && value !== null ? segmentState(value) : value);
  const changes = fieldChanges(state(before), state(after));
  if (own === undefined && changes.length === 0) return null;
  return {
    project: change.project,
    environment: environment ?? null,
    name,
    type,
    changes,
    members: own?.members ?? {},
  };
}
