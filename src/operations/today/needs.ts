import type { Caller } from "../../access/caller.ts";
import { shortName } from "../../access/place.ts";
import { hasScope, hasScopeSomewhere, projectsWith, visibleProjects } from "../../access/rights.ts";
import type { App } from "../../app.ts";
import { DAY_MS } from "../../base/days.ts";
import { creationOf } from "../../base/ids.ts";
import { type Delivery, isMail } from "../../delivery/delivery.ts";
import type { DeliveryKind } from "../../delivery/delivery.ts";
import { maskTarget } from "../../delivery/target.ts";
import { placesOf } from "../../documents/changes/found.ts";
import { approvalsNeeded, approversOf, statusOf } from "../../documents/changes/proposal.ts";
import { type KnownRights, standing } from "../../documents/changes/standing.ts";
import type { StaleReason } from "../../flags/flag-schema.ts";
import { nextStep } from "../../flags/ramps/ramp.ts";
import { createStaleCounts } from "../../flags/schedule/upcoming.ts";
import { listDeliveries } from "../../forms/deliveries.ts";
import type { Finding } from "../../maintenance/finding.ts";
import type { Backups } from "../../maintenance/status.ts";

/** How much a need matters, the worst first. */
const TONES = ["bad", "warn", "info", "neutral"] as const;

/** Something that waits for a person. Times are milliseconds since 1970. */
export type Need = {
  kind: "health" | "backup" | "ramp" | "experiment" | "target" | "proposal" | "unread" | "stale";
  tone: (typeof TONES)[number];
  project: string | null;
  /** A sentence without a full stop, in which `subject` occurs. */
  title: string;
  subject: string;
  /** Why, in sentences. */
  reason: string;
  /** Since when; null if that is not known. */
  at: number | null;
  /** What to do about it, on the page at `path` of the dashboard. */
  verb: string;
  path: string;
};

/** Needs of each kind. */
const MOST = 5;
/** Submissions of the caller that are counted, and deliveries that are looked at for failing targets. */
const COUNTED = 100;
/** The newest submissions of a form among which the oldest unread one is looked for. */
const SEARCHED = 200;
/** Forms with unread submissions in which it is looked for, and projects whose proposals are read. */
const LOOKED_AT = 20;

/** What the server says of itself to callers with the scope `admin`. */
type Server = { findings: readonly Finding[]; backup: Backups };

/** What needs the caller, the worst first; only what the caller may see. */
export async function findNeeds(app: App, caller: Caller, server: Server | null): Promise<Need[]> {
  const found = await Promise.all([
    server ? ofServer(server) : [],
    ofRamps(app, caller),
    ofExperiments(app, caller),
    ofTargets(app, caller),
    ofProposals(app, caller),
    ofInbox(app, caller),
    ofStale(app, caller),
  ]);
  const rank = ({ tone }: Need) => TONES.indexOf(tone);
  return found.flat().toSorted((a, b) => rank(a) - rank(b));
}

function ofServer({ findings, backup }: Server): Need[] {
  const shared = { project: null, path: "/health", verb: "See Health" };
  const problems = findings
    .filter(({ status }) => status === "problem")
    .map(({ check, message, hint }): Need => {
      const reason = hint === null ? "" : sentence(hint);
      return { ...shared, kind: "health", tone: "bad", title: `${check}: ${message}`, subject: check, reason, at: null };
    });
  const { failure } = backup;
  const failed: Need[] = failure
    ? [
        {
          ...shared,
          kind: "backup",
          tone: "bad",
          title: "The last backup failed",
          subject: "backup",
          reason: sentence(failure.error),
          at: Date.parse(failure.at),
        },
      ]
    : [];
  const warnings = findings.filter(({ status, check }) => status === "warning" && check !== "backups");
  const [first] = warnings;
  if (!first) return [...problems, ...failed];
  const title = warnings.length === 1 ? "1 warning about the server" : `${warnings.length} warnings about the server`;
  const subject = title.slice(0, title.indexOf(" about"));
  const reason = sentence(`${first.check}: ${first.message}`);
  return [...problems, ...failed, { ...shared, kind: "health", tone: "neutral", title, subject, reason, at: null }];
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

const STOPPED = {
  person: "It was paused by a person.",
  changed: "The flag was changed by hand.",
  locked: "The environment was locked.",
  deleted: "The flag was deleted.",
} as const;

/** Ramps that stopped by themselves; one that a person paused is up to that person. */
async function ofRamps(app: App, caller: Caller): Promise<Need[]> {
  const held = await app.store.ramps.held(visibleProjects(caller, "flags:read"), COUNTED);
  const stopped = held.filter(({ ramp: { status, reason } }) => status === "paused" && reason !== "person");
  return Promise.all(
    stopped.slice(0, MOST).map(async ({ project, ramp }): Promise<Need> => {
      const { flag, environment, share, reason, guards } = ramp;
      const { items } = await app.store.changes.page(project, { kind: "ramp", name: flag, environment, limit: 1 });
      const why =
        reason === "guard"
          ? `${guards.length === 1 ? `The guard “${guards[0]}”` : `A guard of “${guards.join("”, “")}”`} fired.`
          : STOPPED[reason ?? "person"];
      const isOver = nextStep(ramp) === undefined;
      return {
        kind: "ramp",
        tone: "bad",
        project,
        title: `${flag} stopped at ${share} % in ${environment}`,
        subject: flag,
        reason: isOver ? why : `${why} Nobody new gets it until you decide.`,
        at: items[0]?.at ?? null,
        verb: "Decide",
        path: flagPath({ project, environment, flag }),
      };
    }),
  );
}

function flagPath({ project, environment, flag }: { project: string; environment: string; flag: string }): string {
  return `/projects/${project}/flags/${flag}?environment=${environment}`;
}

/** Experiments that stopped by themselves, or have a result. */
async function ofExperiments(app: App, caller: Caller): Promise<Need[]> {
  const held = await app.store.experiments.held(visibleProjects(caller, "flags:read"), COUNTED);
  return held
    .flatMap(({ project, experiment }): Need[] => {
      const { name, environment, status, reason, isDecided, startedAt } = experiment;
      const path = `/projects/${project}/environments/${environment}/experiments/${name}`;
      const shared = { kind: "experiment", project, subject: name, verb: "Decide", path } as const;
      if (status === "paused" && reason !== "person") {
        const why = reason === "guard" ? "One of its guards fired." : STOPPED[reason ?? "person"];
        return [{ ...shared, tone: "bad", title: `${name} stopped in ${environment}`, reason: why, at: null }];
      }
      if (!isDecided) return [];
      const title = `${name} has a result in ${environment}`;
      return [{ ...shared, tone: "info", title, reason: "It can end with the variant that won.", at: startedAt }];
    })
    .slice(0, MOST);
}

/** The targets of the newest deliveries that failed, or that wait for another attempt. */
async function ofTargets(app: App, caller: Caller): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "forms:read")) return [];
  const projects = visibleProjects(caller, "forms:read");
  const [queued, failed] = await Promise.all([
    app.store.deliveries.countQueued(1, projects),
    app.store.deliveries.countFailed(1, projects),
  ]);
  const list = async (status: "queued" | "failed", count: number) => {
    if (count === 0) return [];
    const query = { status, form: null, before: null, submission: null, limit: COUNTED, searches: 1 };
    return (await listDeliveries(app, caller, query)).items;
  };
  const lists = await Promise.all([list("failed", failed), list("queued", queued)]);
  const items = lists.flat().filter(({ status, attempts, error }) => status === "failed" || (attempts > 0 && error !== null));
  const groups = Map.groupBy(items, (each) => JSON.stringify([each.target, each.project, each.form]));
  const needs = [...groups.values()].slice(0, MOST).map(async (group): Promise<Need> => {
    const [last] = group.toSorted((a, b) => (a.id < b.id ? 1 : -1)) as [Delivery];
    const waiting = group.filter(({ status }) => status === "queued").length;
    const of = { name: await nameOfTarget(app, last), subject: last.form ?? last.project };
    const counts = [
      waiting > 0 && `${counted(waiting)} and ${waiting === 1 ? "is" : "are"} tried again`,
      group.length > waiting && `${group.length - waiting} failed`,
    ];
    const status = waiting === group.length ? "queued" : "failed";
    const oldest = group.reduce((a, b) => (b.id < a.id ? b : a));
    return {
      kind: "target",
      tone: "bad",
      project: last.project,
      title: `${of.name} takes nothing from ${of.subject}`,
      subject: of.name,
      reason: `${sentence(last.error ?? "It failed")} ${sentence(counts.filter(Boolean).join("; "))}`,
      at: creationOf(oldest.id),
      verb: group.length === 1 ? "See why" : "See all",
      path:
        group.length === 1
          ? `/deliveries/${last.id}`
          : `/deliveries?status=${status}${last.form === null ? "" : `&form=${shortName({ project: last.project, slug: last.form })}`}`,
    };
  });
  return Promise.all(needs);
}

function counted(waiting: number): string {
  return waiting === COUNTED ? `${COUNTED} or more wait` : `${waiting} ${waiting === 1 ? "waits" : "wait"}`;
}

async function nameOfTarget({ store }: App, { kind, target }: Delivery): Promise<string> {
  if (isMail(kind as DeliveryKind) && kind !== "mail") return target;
  const record = await store.targets.find(target);
  return record ? maskTarget(record) : "A target that was deleted";
}

/** Proposals that the caller may approve and has not, and own ones that are approved. */
async function ofProposals(app: App, caller: Caller): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "flags:read")) return [];
  const needs: Need[] = [];
  const rights: KnownRights = new Map();
  const visible = visibleProjects(caller, "flags:read");
  const projects = (await app.store.projects.list()).filter(
    ({ slug, environments }) =>
      (visible?.includes(slug) ?? true) && environments.some(({ approvals }) => approvals > 0),
  );
  for (const { slug: project, environments } of projects.slice(0, LOOKED_AT)) {
    const { items } = await app.store.proposals.page(project, { statuses: ["open"], limit: LOOKED_AT });
    for (const each of items) {
      const proposal = await standing(app, each, rights);
      const needed = approvalsNeeded(proposal, { environments });
      const status = statusOf(proposal, needed, app.now());
      const isOwn = proposal.who === caller.name;
      const may = (environment: string | undefined) => hasScope(caller, "flags:locked", { project, environment });
      const isForCaller =
        status === "approved"
          ? isOwn
          : status === "open" && !isOwn && !proposal.reviews.some(({ who }) => who === caller.name);
      if (!isForCaller || (!isOwn && !placesOf(proposal).every(may))) continue;
      const { id, summary, who, createdAt } = proposal;
      const places = proposal.environments.length === 0 ? project : proposal.environments.join(", ");
      needs.push({
        kind: "proposal",
        tone: "info",
        project,
        title: isOwn ? `Your change is approved: ${summary}` : `${who} proposes: ${summary}`,
        subject: summary,
        reason: sentence(`${places}, ${approversOf(proposal).length} of ${needed} approvals`),
        at: createdAt,
        verb: isOwn ? "Apply" : "Review",
        path: `/projects/${project}/changes/${id}`,
      });
    }
  }
  return needs.slice(0, MOST);
}

/** The unread submissions, of which the oldest is found if it is among the newest of its form. */
async function ofInbox(app: App, caller: Caller): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "forms:read")) return [];
  const { submissions } = app.store;
  const projects = projectsWith(caller, "forms:read");
  const total = await submissions.unread(projects);
  if (total === 0) return [];
  const [mine, counts] = await Promise.all([
    submissions.unreadOf(caller.name, COUNTED, projects),
    submissions.counts(),
  ]);
  const unread = counts.filter((each) => each.unread > 0 && (projects?.includes(each.project) ?? true));
  const oldest =
    unread.length > LOOKED_AT
      ? [null]
      : await Promise.all(
          unread.map(({ formKey, unread }) =>
            unread > SEARCHED ? null : submissions.oldestUnread(formKey, unread, SEARCHED),
          ),
        );
  const times = oldest.map((id) => (id === null ? null : creationOf(id)));
  const isKnown = times.every((time) => time !== null);
  const at = isKnown ? Math.min(...(times as number[])) : null;
  const from = at === null ? null : unread[times.indexOf(at)]!;
  const subject = `${total.toLocaleString("en")} unread`;
  const own = mine === 0 ? "" : `, ${mine === COUNTED ? `${COUNTED} or more` : mine} of them yours`;
  const [only] = unread;
  return [
    {
      kind: "unread",
      tone: "info",
      project: null,
      title: `${subject} in the inbox${own}`,
      subject,
      reason:
        from !== null
          ? `${total === 1 ? "It is" : "The oldest is"} to ${from.name}.`
          : `Most of them are to ${unread.toSorted((a, b) => b.unread - a.unread)[0]!.name}.`,
      at,
      verb: "Read",
      path: unread.length === 1 ? `/inbox/${shortName({ project: only!.project, slug: only!.form })}?unread=1` : "/inbox?unread=1",
    },
  ];
}

const STALE = {
  expired: "has expired",
  settled: "gives everybody the same",
  unread: "is not read",
  unreferenced: "is in no code",
} as const satisfies Record<StaleReason, string>;

const countsOf = new WeakMap<App, ReturnType<typeof createStaleCounts>>();

async function ofStale(app: App, caller: Caller): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "flags:read")) return [];
  const read = countsOf.get(app) ?? createStaleCounts(app);
  countsOf.set(app, read);
  return (await read(caller)).slice(0, MOST).map(({ project, count, oldest }): Need => {
    const since = Date.parse(oldest.since);
    const days = Math.floor((app.now() - since) / DAY_MS);
    const span = days < 1 ? "" : ` for ${days === 1 ? "1 day" : `${days} days`}`;
    const others = count === 2 ? "One more flag is" : `${count - 1} more flags are`;
    return {
      kind: "stale",
      tone: "neutral",
      project,
      title: `${oldest.slug} ${STALE[oldest.reasons[0]!]}${span}`,
      subject: oldest.slug,
      reason: count === 1 ? "It is ready to remove." : `${others} ready to remove, too.`,
      at: null,
      verb: "Clean up",
      path: `/projects/${project}/stale`,
    };
  });
}
