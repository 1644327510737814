import type { ClockAndRandom } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { changedDraft, type GivenDesign, newDraft } from "../experiments/draft.ts";
import {
  type Design,
  designOf,
  type Experiment,
  holdsFlag,
  tooManyExperiments,
} from "../experiments/experiment.ts";
import { EXPERIMENT_LIMITS } from "../experiments/limits.ts";
import { dropExperiment, putExperiment, settled } from "../experiments/plan.ts";
import { formOfMetric, parseGuard } from "../flags/ramps/guard.ts";
import type { RampedState } from "../flags/ramps/ramp.ts";
import { pathOf } from "./document.ts";
import { type DocumentPlan, type Target, add, fault } from "./plan.ts";
import type { Author } from "./plan-ramps.ts";
import type { FindForm } from "./sources.ts";

/** The experiments of an environment, as they should be. */
type Wanted = {
  experiments: Record<string, GivenDesign>;
  findForm: FindForm;
  prune: boolean;
  author: Author;
};

/**
 * Adds the differences of an environment's experiments to a plan, after those of its flags. A design can change only
 * while the experiment is a draft. With `prune`, other drafts are deleted. Throws `invalid`.
 */
export function planExperiments(
  clock: ClockAndRandom,
  plan: DocumentPlan,
  project: string,
  target: Target,
  { experiments, findForm, prune, author }: Wanted,
): void {
  const { slug: environment } = target;
  const pathTo = (name: string) =>
    pathOf("projects", project, "environments", environment, "experiments", name);
  const states = statesAfter(plan, project, target);
  const existing = new Map(target.experiments.map((found) => [found.experiment.name, settled(found)]));
  for (const [name, wanted] of Object.entries(experiments)) {
    const path = pathTo(name);
    const before = existing.get(name);
    const after = planned(
      clock,
      { environment, name, path, before, wanted, author },
      states.get(wanted.flag),
    );
    if (before && Bun.deepEquals(designOf(before), designOf(after), true)) continue;
    requireForms(path, before, after, findForm);
    const change = putExperiment(project, before, after);
    const shown = before
      ? differing(designOf(before), designOf(after))
      : { before: null, after: designOf(after) };
    add(plan, { action: before ? "update" : "create", kind: "experiment", path, ...shown }, change);
  }
  const deleted = prune ? planDeletions(plan, project, { existing, experiments, pathTo }) : 0;
  const created = Object.keys(experiments).filter((name) => !existing.has(name)).length;
  requireFew(project, environment, { before: existing.size, after: existing.size + created - deleted });
}

/** Throws `invalid` for more experiments than an environment may have. */
function requireFew(
  project: string,
  environment: string,
  { before, after }: { before: number; after: number },
): void {
  if (after <= Math.max(before, EXPERIMENT_LIMITS.experiments)) return;
  const { message, hint } = tooManyExperiments(environment);
  throw fault(
    pathOf("projects", project, "environments", environment, "experiments"),
    message,
    hint ?? undefined,
  );
}

/** Adds the deletion of drafts that are not wanted, and returns how many. Throws `invalid` for experiments that hold a flag. */
function planDeletions(
  plan: DocumentPlan,
  project: string,
  {
    existing,
    experiments,
    pathTo,
  }: Pick<Wanted, "experiments"> & {
    existing: ReadonlyMap<string, Experiment>;
    pathTo: (name: string) => string;
  },
): number {
  let count = 0;
  for (const [name, experiment] of existing) {
    // One that has ended keeps its results.
    if (Object.hasOwn(experiments, name) || experiment.status === "ended") continue;
    if (holdsFlag(experiment))
      throw fault(pathTo(name), `the experiment is ${experiment.status}: stop it before it is deleted`);
    add(
      plan,
      { action: "delete", kind: "experiment", path: pathTo(name), before: designOf(experiment), after: null },
      dropExperiment(project, experiment),
    );
    count += 1;
  }
  return count;
}

type Entry = {
  environment: string;
  name: string;
  path: string;
  before: Experiment | undefined;
  wanted: GivenDesign;
  author: Author;
};

/** An experiment as a document wants it. Throws `invalid` with the path of the fault. */
function planned(
  clock: ClockAndRandom,
  { environment, name, path, before, wanted, author: { name: who, why = null } }: Entry,
  state: RampedState | undefined,
): Experiment {
  const set = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  if (before && before.status !== "draft") {
    const after = { ...before, ...set };
    const { after: wantedMembers } = differing(designOf(before), designOf(after));
    const fixed = Object.keys(wantedMembers).find((each) => each !== "hypothesis");
    if (fixed === undefined) return after;
    throw fault(
      `${path}.${fixed}`,
      `it is set before the start of an experiment, and this one is ${before.status}`,
      "leave it as it is, or give the experiment another name",
    );
  }
  if (!state) throw fault(`${path}.flag`, `the flag "${wanted.flag}" does not exist`);
  try {
    if (before?.flag === wanted.flag) return changedDraft(before, set, state);
    const made = newDraft({ environment, name }, wanted, state, { who, why }, clock.now());
    return before ? { ...made, createdAt: before.createdAt } : made;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    throw fault(path, error.message, error.hint ?? undefined);
  }
}

/** The members that differ. */
function differing(before: Design, after: Design): { before: Partial<Design>; after: Partial<Design> } {
  const names = (Object.keys(after) as (keyof Design)[]).filter(
    (name) => !Bun.deepEquals(before[name], after[name], true),
  );
  const pick = (design: Design) => Object.fromEntries(names.map((name) => [name, design[name]]));
  return { before: pick(before), after: pick(after) };
}

/** The flags of an environment behind what is planned until now. */
function statesAfter(plan: DocumentPlan, project: string, { slug, flags }: Target): Map<string, RampedState> {
  const states = new Map<string, RampedState>(flags.map((record) => [record.slug, record]));
  for (const each of plan.changes) {
    if (each.change === "deleteFlag" && each.project === project) states.delete(each.flag);
    if (each.change !== "putFlag" || each.project !== project) continue;
    if (each.environment === slug) states.set(each.flag, each.record);
    else if (!states.has(each.flag)) states.set(each.flag, { enabled: false, rules: null });
  }
  return states;
}

/** Throws `invalid` for a form that is not there, unless it was named before. */
function requireForms(path: string, before: Experiment | undefined, after: Experiment, find: FindForm): void {
  const known = new Set(before ? metricsOf(before) : []);
  for (const metric of metricsOf(after)) {
    const form = formOfMetric(metric);
    if (form === null || known.has(metric) || find(form)) continue;
    throw fault(path, `the form "${form}" does not exist`);
  }
}

function metricsOf({ metrics, guards }: Design): string[] {
  return [...metrics, ...guards.map((guard) => parseGuard(guard).metric)];
}
