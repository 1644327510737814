import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { nextOf } from "../../../base/pages.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { readGuardsOf } from "../../../experiments/guards/readings.ts";
import type { Experiment } from "../../../experiments/experiment.ts";
import { isHeld } from "../../../flags/ramps/ramp.ts";
import { viewRamp } from "../../../flags/ramps/ramp-view.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { changes } from "../../../operations/changes/changes.ts";
import { scheduled } from "../../../operations/scheduled.ts";
import type { Project } from "../../../projects/project.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Dashboard } from "../routes.ts";
import { describeScheduled } from "./cancel.tsx";
import { type Release, ofExperiment, ofFailed, ofProposal, ofRamp, ofScheduled } from "./release-record.tsx";

/** Releases of one source on a page, and ramps and experiments that hold their flags. */
const PAGE = 25;
export const HELD = 200;

/** Ramps and experiments on a page of their source, which has them by name: the latest are among many. */
const BY_NAME = 200;

/** The kinds of releases that a page can be limited to. */
export const KINDS = {
  steps: "Steps",
  scheduled: "Scheduled",
  experiments: "Experiments",
  proposals: "Proposals",
} as const;

export type Kind = keyof typeof KINDS;

type Reading = {
  app: App;
  project: Project;
  environment: string | undefined;
  flag: string | undefined;
};

type Found = { releases: Release[]; next: string | null };
type Read = (
  reading: Reading & { c: DashboardContext; perform: Dashboard["perform"] },
  cursor: string | undefined,
) => Promise<Found>;

/** The sources of releases, by the parameter of the query that has their cursor; those without a kind have ended. */
export const SOURCES = {
  ramps: { kind: "steps", read: heldRamps },
  held: { kind: "experiments", read: heldExperiments },
  approved: { kind: "proposals", read: proposals("approved") },
  open: { kind: "proposals", read: proposals("open") },
  scheduled: { kind: "scheduled", read: comingChanges },
  drafts: { kind: "experiments", read: experimentsThat(({ status }) => status === "draft") },
  past: { kind: null, read: endedRamps },
  ended: { kind: null, read: experimentsThat(({ status }) => status === "ended") },
  closed: { kind: null, read: proposals(undefined) },
  failed: { kind: null, read: failedChanges },
} as const satisfies Record<string, { kind: Kind | null; read: Read }>;

export type Source = keyof typeof SOURCES;

/** A page of a source, which has rows unless there are no more. */
export async function readSource(
  source: Source,
  reading: Parameters<Read>[0],
  from: string | undefined,
): Promise<Found> {
  const { environment, flag } = reading;
  for (let cursor = from; ;) {
    const { releases, next } = await SOURCES[source].read(reading, cursor);
    const found = releases.filter(
      (each) =>
        (environment === undefined || each.environments.includes(environment)) &&
        (flag === undefined || each.flag === flag),
    );
    if (found.length > 0 || next === null) return { releases: found, next };
    cursor = next;
  }
}

async function heldRamps({ app, c, project: { slug: project } }: Parameters<Read>[0]): Promise<Found> {
  const ramps = (await app.store.ramps.held([project], HELD)).map(settled).filter(isHeld);
  const releases = ramps.map(async (ramp): Promise<Release> => {
    const { environment, flag } = ramp;
    const readings = await readGuardsOf(app, { project, environment, flag }, ramp, c.get("caller"));
    return { ...ofRamp(project, viewRamp(ramp)), readings };
  });
  return { releases: await Promise.all(releases), next: null };
}

async function endedRamps({ app, project: { slug }, environment }: Reading, cursor?: string): Promise<Found> {
  const [flag, at] = partsOf(cursor);
  const query = { limit: BY_NAME, after: flag === undefined ? undefined : { flag, environment: at! } };
  const page = await app.store.ramps.page(slug, environment ?? null, query);
  const ramps = page.items.map((each) => viewRamp(settled(each))).filter((each) => !isHeld(each));
  const next = nextOf(page, ({ ramp }) => `${ramp.flag}/${ramp.environment}`);
  return { releases: ramps.map((ramp) => ofRamp(slug, ramp)), next };
}

async function comingChanges(
  { app, c, perform, project: { slug }, environment }: Parameters<Read>[0],
  after?: string,
): Promise<Found> {
  const query = { environment, limit: PAGE, after };
  const { scheduled: found, next } = await perform(c, scheduled.list, { names: { project: slug }, query });
  const releases = found.map(async (each) => ofScheduled(slug, await describeScheduled(app, slug, each)));
  return { releases: await Promise.all(releases), next };
}

async function failedChanges(
  { app, project: { slug }, environment }: Reading,
  cursor?: string,
): Promise<Found> {
  const query = { kind: "scheduled", environment, limit: PAGE, before: revisionIn(cursor) } as const;
  const page = await app.store.changes.page(slug, query);
  const next = nextOf(page, ({ revision }) => String(revision));
  return { releases: page.items.map((each) => ofFailed(slug, each)), next };
}

/** A page of the proposals of a status; without one, of closed proposals. */
function proposals(status: "open" | "approved" | undefined): Read {
  return async ({ c, perform, project: { slug } }, before) => {
    const query = { status, limit: PAGE, before };
    const { changes: found, next } = await perform(c, changes.list, { names: { project: slug }, query });
    const isShown = (each: ProposalView) =>
      status !== undefined || (each.status !== "open" && each.status !== "approved");
    return { releases: found.filter(isShown).map(ofProposal), next };
  };
}

async function heldExperiments({ app, project: { slug } }: Reading): Promise<Found> {
  const found = await app.store.experiments.held([slug], HELD);
  return { releases: found.map((each) => ofExperiment(app, each)), next: null };
}

/** A page of the experiments of every environment, or of one, that have a state. */
function experimentsThat(isWanted: (experiment: Experiment) => boolean): Read {
  return async ({ app, project: { slug, environments }, environment }, cursor) => {
    const [from, after] = partsOf(cursor);
    const slugs = environment === undefined ? environments.map((each) => each.slug) : [environment];
    const releases: Release[] = [];
    for (const each of slugs.slice(from === undefined ? 0 : Math.max(0, slugs.indexOf(from)))) {
      const query = { limit: BY_NAME, after: each === from ? after : undefined };
      const page = await app.store.experiments.page(slug, each, query);
      const found = page.items.filter(({ experiment }) => isWanted(experiment));
      releases.push(...found.map((one) => ofExperiment(app, one)));
      const next = nextOf(page, ({ experiment }) => `${each}/${experiment.name}`);
      if (next !== null) return { releases, next };
    }
    return { releases, next: null };
  };
}

/** Both names of a cursor. Throws `invalid`. */
function partsOf(cursor: string | undefined): [name?: string, behind?: string] {
  if (cursor === undefined) return [];
  const [, name, behind] = /^([\w.-]{1,150})\/([\w.-]{1,150})$/.exec(cursor) ?? [];
  if (behind === undefined) throw noCursor();
  return [name!, behind];
}

function revisionIn(cursor: string | undefined): number | undefined {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw noCursor();
  return cursor === undefined ? undefined : Number(cursor);
}

function noCursor(): AppError {
  return new AppError("invalid", "a page begins where the link of the page before says");
}
