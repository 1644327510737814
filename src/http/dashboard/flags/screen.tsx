import type { Caller } from "../../../access/caller.ts";
import { hasScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { viewExperiment } from "../../../experiments/experiment.ts";
import { type GuardReading, readGuardsOf } from "../../../experiments/guards/readings.ts";
import { settled as settledExperiment } from "../../../experiments/plan.ts";
import { testContextText } from "../../../flags/contexts/test-context.ts";
import {
  applyPatch,
  type FlagPatch,
  type FlagPlace,
  type FlagRecord,
  type FlagStatus,
} from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { turnedOffBy, turnedOffInWords } from "../../../flags/requires/dependents.ts";
import { neededBy } from "../../../flags/requires/requirement.ts";
import { knownMetrics } from "../../../flags/ramps/guard.ts";
import { settled } from "../../../flags/ramps/ramp-plan.ts";
import { isHeld } from "../../../flags/ramps/ramp.ts";
import { viewRamp } from "../../../flags/ramps/ramp-view.ts";
import { type Trial, tryChange } from "../../../flags/reads/evaluations.ts";
import { type FlagReads, readsOfFlags } from "../../../flags/reads/flag-reads.ts";
import { type Served, servedToday } from "../../../flags/reads/served.ts";
import type { ScheduledChange } from "../../../flags/schedule/scheduled-change.ts";
import { pageForms } from "../../../forms/forms.ts";
import { readRates } from "../../../maintenance/stats.ts";
import { type Environment, noSuchEnvironment } from "../../../projects/environment.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Revision } from "../../../projects/history.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Child } from "../markup.ts";
import type { Page } from "../page.tsx";
import { type Confirmation, lastChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { faultAt, type Typed } from "../parts/submit.ts";
import { settingPath } from "../paths.ts";
import { type Proposed, proposedIn } from "./proposed.tsx";
import { type Draft, draftOf, storedValues, type Values } from "./draft.ts";

/** Scheduled changes that are looked through for those of one flag, and forms and experiments for what they count. */
const SCHEDULED = 200;
const COUNTED = 50;
/** Changes of a flag that its page shows. */
const RECENT = 3;

/** The screen of a flag in one environment: what is stored, and what was typed and is not. */
export type Screen = {
  place: FlagPlace;
  project: Project;
  environment: Environment;
  /** A flag that does not exist is off and empty, at revision 0. */
  record: FlagRecord;
  isMissing: boolean;
  /** Its state in each environment. */
  statuses: readonly FlagStatus[];
  /** When it was last read; null for never. */
  readAt: number | null;
  /** Reads a minute. */
  rate: number;
  last: Revision | null;
  /** The last changes there, the newest first. */
  recent: readonly Revision[];
  /** Reads of the last 24 hours there, by the hour and by token; undefined if it was never read. */
  reads: FlagReads["environments"][number] | undefined;
  /** The next first. */
  scheduled: readonly ScheduledChange[];
  /** Changes of it that are proposed there, and not made. */
  proposed: readonly Proposed[];
  /** The last one; null if there was none. */
  ramp: ReturnType<typeof viewRamp> | null;
  /** The numbers that the guards of a ramp compare which has not ended. */
  readings: readonly GuardReading[];
  /** The experiment that holds the flag; null for none. */
  experiment: ReturnType<typeof viewExperiment> | null;
  /** The names of the segments of the environment. */
  segments: readonly string[];
  /** The flags that need it there. */
  neededBy: readonly string[];
  /** A sentence about the flags that are off once it is; null for none. */
  turnsOff: string | null;
  /** Metrics that guards and experiments can count. */
  metrics: readonly string[];
  people: readonly Person[];
  /** How often each variant was served today. */
  served: Served;
  values: Values;
  /** Forms that were not taken, by what they change. */
  typed: { [Form in "state" | "release" | "ramp" | "details" | "person" | "delete"]?: Typed };
  /** The form of the page that is open from the start: that of details, or of the deletion. */
  open: string;
  /** Two changes at the same time. */
  conflict: Conflict | null;
  status: 200 | 409 | 422;
};

/** Two changes of one flag that were made at the same time. */
type Conflict = {
  mine: Draft;
  /** Values that the form was rendered from. */
  base: Draft;
  theirs: Draft;
  /** Next step for the user, as a sentence. */
  advice: string;
};

/** Shows the screen again with what was typed: by default with the status 422. `patch` is tried for the people of the project. */
export type Again = (
  c: DashboardContext,
  place: FlagPlace,
  change: (screen: Screen) => Partial<Screen>,
  patch?: FlagPatch,
) => Promise<Page>;

/**
 * Reads the screen of a flag, with what readers got today in a time zone, and what the people of the project would get after
 * `patch`. Throws `not_found` for the project and the environment, and as `tryChange`.
 */
export async function readScreen(
  app: App,
  caller: Caller,
  place: FlagPlace,
  timeZone: string,
  patch: FlagPatch = {},
): Promise<Screen> {
  const { project: slug, environment: name, flag } = place;
  const [project, found, statuses, { items }, ramp, recent, segments, held] = await Promise.all([
    getProject(app, slug),
    app.store.flags.find(place),
    app.store.flags.statuses(slug, [flag]),
    app.store.scheduled.page(slug, name, { limit: SCHEDULED }),
    app.store.ramps.find(place),
    app.store.changes.page(slug, { kind: "flag", name: flag, environment: name, limit: RECENT }),
    app.store.segments.list(slug, name),
    app.store.ramps.experimentOn(place),
  ]);
  const environment = project.environments.find((each) => each.slug === name);
  if (!environment) throw noSuchEnvironment(slug, name);
  const record = found ?? applyPatch(flag, undefined, {}, app.now()).record;
  const here = { ...place, key: environment.key };
  const [rateOf, people, served, reads, metrics, experiment, readings, proposed, needs, off] =
    await Promise.all([
      ratesOf(app, caller, { project: slug, environments: [environment] }, flag),
      readPeople(app, caller, place, patch),
      servedToday(app, caller, here, timeZone),
      readsOfFlags(app, caller, { project: slug, environment: name, flag }),
      readMetrics(app, caller, place),
      held === undefined ? undefined : app.store.experiments.find({ ...place, experiment: held }),
      ramp && isHeld(settled(ramp)) ? readGuardsOf(app, place, ramp.ramp, caller) : [],
      proposedIn(app, project),
      app.store.flags.needs(slug, name),
      turnedOffBy(app, place, new Map([[flag, { ...record, enabled: false }]])),
    ]);
  return {
    place,
    project,
    environment,
    record,
    isMissing: found === undefined,
    statuses,
    readAt: statuses.find((each) => each.environment === name)?.readAt ?? null,
    rate: rateOf(name, flag),
    last: recent.items.find(({ kind }) => kind === "flag") ?? recent.items[0] ?? null,
    recent: recent.items,
    reads: reads[0]?.environments[0],
    experiment: experiment ? viewExperiment(settledExperiment(experiment)) : null,
    segments: segments.map((each) => each.name),
    neededBy: neededBy(needs.needing).get(flag) ?? [],
    turnsOff: turnedOffInWords(off),
    metrics,
    open: "",
    scheduled: items.filter((each) => each.flag === flag),
    proposed: proposed.get(flag)?.get(name) ?? [],
    ramp: ramp ? viewRamp(settled(ramp)) : null,
    readings,
    people,
    served,
    values: storedValues(draftOf(record, timeZone)),
    typed: {},
    conflict: null,
    status: 200,
  };
}

/** Metrics for guards and experiments of an environment: errors, events that others count, and the forms of the project. */
export async function readMetrics(
  app: App,
  caller: Caller,
  { project, environment }: { project: string; environment: string | null },
): Promise<string[]> {
  const mayForms = hasScope(caller, "forms:read", { project });
  const [found, forms] = await Promise.all([
    environment === null
      ? { items: [] }
      : app.store.experiments.page(project, environment, { limit: COUNTED }),
    mayForms ? pageForms(app, caller, { project, limit: COUNTED }) : { items: [] },
  ]);
  return knownMetrics(
    found.items.map(({ experiment }) => experiment),
    forms.items.map(({ slug }) => slug),
  );
}

/** A test context of the project, and what the flag is for it now and after a change that is not stored. */
type Person = { name: string; context: string; now: string; after: string };

/** The people of a project, for whom a flag is evaluated before and after a patch. Throws as `tryChange`. */
async function readPeople(app: App, caller: Caller, place: FlagPlace, patch: FlagPatch): Promise<Person[]> {
  const people = await app.store.testContexts.list(place.project);
  if (people.length === 0) return [];
  const contexts = people.map(({ context }) => context);
  const trials = await tryChange(app, caller, place, patch, contexts);
  return people.map(({ name, context }, at) => ({
    name,
    context: testContextText(context),
    now: outcomeText(trials[at]!.now),
    after: outcomeText(trials[at]!.after),
  }));
}

function outcomeText(outcome: Trial["now"]): string {
  if ("errorCode" in outcome) return outcome.errorCode;
  const { variant, value } = outcome;
  if (value === undefined) return "no value";
  return variant === undefined || variant === "" ? JSON.stringify(value) : variant;
}

/** A flag as it is stored in an environment, off and empty if it does not exist. */
export async function recordIn(app: App, place: FlagPlace): Promise<FlagRecord> {
  const found = await app.store.flags.find(place);
  return found ?? applyPatch(place.flag, undefined, {}, app.now()).record;
}

/** The page that confirms what is done to a flag in an environment, or to its ramp. */
export async function confirmationOf(
  app: App,
  caller: Caller,
  { project, environment: name, flag }: FlagPlace,
  { what = "flag", label, change }: { what?: string; label: string; change: Child },
): Promise<Confirmation> {
  const environment = await getEnvironment(app, project, name);
  const [last, rateOf] = await Promise.all([
    lastChange(app, project, { kind: "flag", name: flag, environment: name }),
    ratesOf(app, caller, { project, environments: [environment] }, flag),
  ]);
  const title = `Confirm: ${what === "flag" ? what : `${what} of`} ${flag} in ${name}, ${project}`;
  const back = { to: settingPath({ project, environment: name, flag }), label: `${flag} in ${name}` };
  return { title, label, environments: [environment], change, last, rate: rateOf(name, flag), back };
}

/** The difference that a patch makes. Throws `invalid`. */
export async function differenceIn(app: App, place: FlagPlace, patch: FlagPatch): Promise<Child> {
  const record = await recordIn(app, place);
  return <Diff before={flagState(record)} after={flagState(patched(record, patch, app.now()))} />;
}

/** A flag as it would be after a patch. Throws `invalid`. */
export function patched(record: FlagRecord, patch: FlagPatch, now: number): FlagRecord {
  return applyPatch(record.slug, record, patch, now).record;
}

/** The time in a field, in milliseconds since 1970. Throws the fault of the field. */
export function timeIn(fields: Fields, name: string, timeZone: string): number {
  const at = parseWallTime(textOf(fields, name).trim(), timeZone);
  if (at === null) throw faultAt(name, "write a date and a time");
  return at;
}

/** Returns how often a flag is read in a minute, whether by itself or with all others. */
export type RateOf = (environment: string, flag: string) => number;

/** The reads a minute of the flags from one slug to another, estimated from the last hour. */
export async function ratesOf(
  app: App,
  caller: Caller,
  { project, environments }: { project: string; environments: readonly { slug: string; key: string }[] },
  first: string,
  last = first,
): Promise<RateOf> {
  const ratesIn = async ({ slug: environment, key }: (typeof environments)[number]) => {
    const place = { project, environment, key };
    return [environment, await readRates(app, caller, place, { first, last })] as const;
  };
  const rates = new Map(await Promise.all(environments.map(ratesIn)));
  return (environment, flag) => {
    const known = rates.get(environment);
    return known ? ((known.flags.get(flag) ?? 0) + known.all) / 60 : 0;
  };
}
