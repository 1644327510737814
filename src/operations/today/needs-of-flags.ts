import type { Caller } from "../../access/caller.ts";
import { hasScope, hasScopeSomewhere, visibleProjects } from "../../access/rights.ts";
import { actorName } from "../../access/source.ts";
import type { App } from "../../app.ts";
import { DAY_MS } from "../../base/days.ts";
import { placesOf } from "../../documents/changes/found.ts";
import { approvalsNeeded, approversOf, isOwn, statusOf } from "../../documents/changes/proposal.ts";
import { type KnownRights, standing } from "../../documents/changes/standing.ts";
import type { Project } from "../../projects/project.ts";
import type { StaleReason } from "../../flags/stale-schema.ts";
import { nextStep } from "../../flags/ramps/ramp.ts";
import { createStaleCounts } from "../../flags/schedule/upcoming.ts";
import { COUNTED, LOOKED_AT, MOST, type Need, experimentPage, flagPage } from "./need.ts";
import { sentence } from "../../base/shapes/words.ts";

const STOPPED = {
  person: "It was paused by a person.",
  changed: "The flag was changed by hand.",
  locked: "The environment was locked.",
  deleted: "The flag was deleted.",
} as const;

/** Ramps that stopped by themselves; one that a person paused is up to that person. */
export async function ofRamps(app: App, caller: Caller): Promise<Need[]> {
  const held = await app.store.ramps.held(visibleProjects(caller, "flags:read"), COUNTED);
  const stopped = held.filter(({ ramp: { status, reason } }) => status === "paused" && reason !== "person");
  return Promise.all(
    stopped.slice(0, MOST).map(async ({ project, ramp }): Promise<Need> => {
      const { flag, environment, share, reason, guards } = ramp;
      const { items } = await app.store.changes.page(project, {
        kind: "ramp",
        name: flag,
        environment,
        limit: 1,
      });
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
        path: flagPage({ project, environment, flag }),
      };
    }),
  );
}

/** Experiments that stopped by themselves, or have a result. */
export async function ofExperiments(app: App, caller: Caller): Promise<Need[]> {
  const held = await app.store.experiments.held(visibleProjects(caller, "flags:read"), COUNTED);
  return held
    .flatMap(({ project, experiment }): Need[] => {
      const { name, environment, status, reason, isDecided, startedAt } = experiment;
      const path = experimentPage(project, environment, name);
      const shared = { kind: "experiment", project, subject: name, verb: "Decide", path } as const;
      if (status === "paused" && reason !== "person") {
        const why = reason === "guard" ? "One of its guards fired." : STOPPED[reason ?? "person"];
        return [
          { ...shared, tone: "bad", title: `${name} stopped in ${environment}`, reason: why, at: null },
        ];
      }
      if (!isDecided) return [];
      const title = `${name} has a result in ${environment}`;
      return [
        { ...shared, tone: "info", title, reason: "It can end with the variant that won.", at: startedAt },
      ];
    })
    .slice(0, MOST);
}

/** Proposals that the caller may approve and has not, and own ones that are approved. */
export async function ofProposals(app: App, caller: Caller): Promise<Need[]> {
  if (!hasScopeSomewhere(caller, "flags:read")) return [];
  const needs: Need[] = [];
  const rights: KnownRights = new Map();
  const visible = visibleProjects(caller, "flags:read");
  const seen = (await app.store.projects.list()).filter(({ slug }) => visible?.includes(slug) ?? true);
  const isGuarded = ({ environments }: Project) => environments.some(({ approvals }) => approvals > 0);
  // Assistants propose also where no approvals are required.
  const projects = [...seen.filter(isGuarded), ...seen.filter((each) => !isGuarded(each))];
  for (const { slug: project, environments } of projects.slice(0, LOOKED_AT)) {
    const { items } = await app.store.proposals.page(project, { statuses: ["open"], limit: LOOKED_AT });
    for (const each of items) {
      const proposal = await standing(app, each, rights);
      const needed = approvalsNeeded(proposal, { environments });
      const status = statusOf(proposal, needed, app.now());
      const isAuthor = proposal.who === caller.name;
      const mayReview = !isOwn(proposal, caller.name, { environments });
      const may = (environment: string | undefined) =>
        hasScope(caller, "flags:locked", { project, environment });
      const isForCaller =
        status === "approved"
          ? isAuthor
          : status === "open" && mayReview && !proposal.reviews.some(({ who }) => who === caller.name);
      if (!isForCaller || (status === "open" && !placesOf(proposal).every(may))) continue;
      const { id, summary, createdAt } = proposal;
      const places = proposal.environments.length === 0 ? project : proposal.environments.join(", ");
      needs.push({
        kind: "proposal",
        tone: "info",
        project,
        title:
          status === "approved"
            ? `Your change is approved: ${summary}`
            : `${actorName(proposal)} proposes to ${summary}`,
        subject: summary,
        reason: sentence(
          `${places}, ${approversOf(proposal).length} of ${needed} ${needed === 1 ? "approval" : "approvals"}`,
        ),
        at: createdAt,
        verb: status === "approved" ? "Apply" : "Review",
        path: `/projects/${project}/changes/${id}`,
      });
    }
  }
  return needs.slice(0, MOST);
}

const STALE = {
  expired: "has expired",
  settled: "gives everyone the same",
  unread: "is not read",
  unreferenced: "is in no code",
} as const satisfies Record<StaleReason, string>;

const countsOf = new WeakMap<App, ReturnType<typeof createStaleCounts>>();

export async function ofStale(app: App, caller: Caller): Promise<Need[]> {
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
      path: `/projects/${project}?stale=1`,
    };
  });
}
