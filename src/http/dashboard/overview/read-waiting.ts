import { formOf } from "../forms/form-words.ts";
import type { Caller } from "../../../access/caller.ts";
import { hasScope, hasScopeSomewhere, visibleProjects } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import type { Delivery } from "../../../delivery/delivery.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { listProposals } from "../../../documents/changes/views.ts";
import {
  type StaleCount,
  type Upcoming,
  type createStaleCounts,
  upcomingChanges,
} from "../../../flags/schedule/upcoming.ts";
import { listDeliveries } from "../../../forms/deliveries.ts";
import type { FormStats } from "../../../maintenance/stats.ts";
import { rerunOn } from "../../../operations/changes/perform.ts";
import type { Project } from "../../../projects/project.ts";
import { recipientsOf, subjectOf } from "../deliveries/delivery-words.tsx";

/** Items of each kind. */
const MOST = 5;
/** Submissions of one's own that are counted. */
export const MOST_MINE = 100;
/** Failed deliveries that are looked at. */
const DELIVERIES = 100;

/** A target with deliveries that failed: of a form, or of the notices of a project. */
export type FailingTarget = {
  recipient: string;
  subject: string;
  form: string | null;
  last: Delivery;
  count: number;
};

/** Work that waits, as far as the caller may see it. */
export type Waiting = {
  targets: readonly FailingTarget[];
  upcoming: Upcoming | null;
  stale: readonly StaleCount[];
  proposals: readonly ProposalView[];
  /** Unread submissions that the caller looks after, up to `MOST_MINE`. */
  mine: number;
  /** Forms with unread submissions, the most first. */
  unread: readonly { form: string; count: number }[];
};

type Sources = {
  app: App;
  caller: Caller;
  forms: FormStats | null;
  projects: readonly Project[];
  staleCounts: ReturnType<typeof createStaleCounts>;
};

export async function readWaiting({ app, caller, forms, projects, staleCounts }: Sources): Promise<Waiting> {
  const seesFlags = hasScopeSomewhere(caller, "flags:read");
  const [targets, upcoming, stale, proposals, mine] = await Promise.all([
    forms && forms.deliveries.failed > 0 ? readFailing(app, caller) : [],
    seesFlags ? upcomingChanges(app, caller) : null,
    seesFlags ? staleCounts(caller) : [],
    readProposals(app, caller, projects),
    forms ? app.store.submissions.unreadOf(caller.name, MOST_MINE, visibleProjects(caller, "forms:read")) : 0,
  ]);
  return {
    targets,
    upcoming,
    stale: stale.slice(0, MOST),
    proposals,
    mine,
    unread: (forms?.forms ?? [])
      .filter(({ unread }) => unread > 0)
      .toSorted((a, b) => b.unread - a.unread)
      .slice(0, MOST)
      .map((each) => ({ form: formOf(each), count: each.unread })),
  };
}

/** The targets of the newest deliveries that failed. */
async function readFailing(app: App, caller: Caller): Promise<FailingTarget[]> {
  const query = { status: "failed", form: null, before: null, submission: null } as const;
  const { items } = await listDeliveries(app, caller, { ...query, limit: DELIVERIES, searches: 1 });
  const recipients = await recipientsOf(app, items);
  const groups = Map.groupBy(items, (each) => `${subjectOf(each)} ${each.target}`);
  return [...groups.values()].slice(0, MOST).map((group) => {
    const [last] = group as [Delivery];
    const { project, form, target } = last;
    return {
      recipient: recipients.get(target)!,
      subject: subjectOf(last),
      form: form === null ? null : formOf({ project, form }),
      last,
      count: group.length,
    };
  });
}

/** Open changes of others that the caller has not approved, in environments that need approvals. */
async function readProposals(
  app: App,
  caller: Caller,
  projects: readonly Project[],
): Promise<ProposalView[]> {
  const found: ProposalView[] = [];
  const rerun = rerunOn(app);
  for (const { slug, environments } of projects) {
    const asks = environments.some(({ approvals }) => approvals > 0);
    if (found.length >= MOST || !asks || !hasScope(caller, "flags:read", { project: slug })) continue;
    const { items } = await listProposals(app, caller, slug, { status: "open", limit: MOST }, rerun);
    const isMine = ({ who }: { who: string }) => who === caller.name;
    found.push(...items.filter((each) => !isMine(each) && !each.reviews.some(isMine)));
  }
  return found.slice(0, MOST);
}
