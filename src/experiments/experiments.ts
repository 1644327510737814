import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { findSlugFault } from "../base/slug.ts";
import { noSuchFlag } from "../flags/flag.ts";
import { getEnvironment } from "../projects/environments.ts";
import { requireChangeable } from "../projects/locks.ts";
import type { ExperimentChange } from "./change.ts";
import { changedDraft, type DesignPatch, type GivenDesign, newDraft } from "./draft.ts";
import {
  type Experiment,
  type ExperimentPlace,
  type FoundExperiment,
  holdsFlag,
  noSuchExperiment,
  tooManyExperiments,
} from "./experiment.ts";
import { EXPERIMENT_LIMITS } from "./limits.ts";
import { requireForms } from "./metrics.ts";
import { dropExperiment, putExperiment, settled } from "./plan.ts";
import type { ExperimentsApp } from "./store.ts";

/** Throws `not_found`. */
export async function getExperiment({ store }: ExperimentsApp, place: ExperimentPlace): Promise<Experiment> {
  return settled(await findExperiment({ store }, place));
}

/** Throws `not_found`. */
export async function findExperiment(
  { store }: Pick<ExperimentsApp, "store">,
  place: ExperimentPlace,
): Promise<FoundExperiment> {
  const found = await store.experiments.find(place);
  if (!found) throw noSuchExperiment(place);
  return found;
}

/**
 * Creates an experiment as a draft, which changes no flag. Throws `invalid` for a design that does not fit the flag,
 * `not_found` for the flag or a form, `conflict` for a name in use and beyond the limit of the environment, `forbidden`
 * without `forms:read` for a form, and like `requireChangeable` for a lock.
 */
export function createExperiment(
  app: ExperimentsApp,
  caller: Caller,
  place: ExperimentPlace,
  given: GivenDesign,
): Promise<Experiment> {
  requireScope(caller, "flags:write", place);
  const fault = findSlugFault("experiment", place.experiment);
  if (fault !== undefined) throw new AppError("invalid", fault);
  return change(app, caller, async ({ at }): Promise<Plan<ExperimentChange, Experiment>> => {
    await requireUnlocked(app, caller, place);
    const { project, environment, experiment: name } = place;
    if (await app.store.experiments.find(place))
      throw new AppError("conflict", `the experiment "${name}" exists in ${environment}`, {
        reason: "experiment-exists",
      });
    if ((await app.store.experiments.count(project, environment)) >= EXPERIMENT_LIMITS.experiments)
      throw tooManyExperiments(environment);
    const { flag, metrics, guards } = given;
    const record = await app.store.flags.find({ ...place, flag });
    if (!record) throw noSuchFlag(flag);
    await requireForms(app, caller, project, { metrics, guards });
    const by = { who: caller.name, why: caller.why ?? null };
    const experiment = newDraft({ environment, name }, given, record, by, at);
    return { changes: [putExperiment(project, undefined, experiment)], result: experiment };
  });
}

/**
 * Changes the design of a draft, or the hypothesis of an experiment that was started. Throws like {@link
 * createExperiment}, and `conflict` for any other change after the start.
 */
export function patchExperiment(
  app: ExperimentsApp,
  caller: Caller,
  place: ExperimentPlace,
  patch: DesignPatch,
): Promise<Experiment> {
  requireScope(caller, "flags:write", place);
  return change(app, caller, async (): Promise<Plan<ExperimentChange, Experiment>> => {
    await requireUnlocked(app, caller, place);
    const found = await findExperiment(app, place);
    const { project, experiment: before } = { ...found, experiment: settled(found) };
    const set = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const later = Object.keys(set).find((name) => name !== "hypothesis");
    if (before.status !== "draft" && later !== undefined)
      throw new AppError("conflict", `an experiment that was started keeps its ${later}`, {
        reason: "experiment-started",
      });
    let after: Experiment = { ...before, ...set };
    if (later !== undefined) {
      const record = await app.store.flags.find({ ...place, flag: before.flag });
      if (!record) throw noSuchFlag(before.flag);
      after = changedDraft(before, set, record);
      await requireForms(app, caller, project, after);
    }
    const isSame = Object.keys(set).length === 0 || Bun.deepEquals(before, after, true);
    return { changes: isSame ? [] : [putExperiment(project, found.experiment, after)], result: after };
  });
}

/** Deletes an experiment with its results. Throws `not_found`, `conflict` while it holds its flag, and as `requireChangeable`. */
export function deleteExperiment(app: ExperimentsApp, caller: Caller, place: ExperimentPlace): Promise<void> {
  requireScope(caller, "flags:write", place);
  return change(app, caller, async (): Promise<Plan<ExperimentChange, void>> => {
    await requireUnlocked(app, caller, place);
    const { project, experiment } = await findExperiment(app, place);
    if (holdsFlag(experiment))
      throw new AppError("conflict", `the experiment "${experiment.name}" is ${experiment.status}`, {
        reason: "experiment-holds",
        hint: "stop it first",
      });
    return { changes: [dropExperiment(project, experiment)], result: undefined };
  });
}

/** As `requireChangeable` for a lock; a change of no flag needs no approval. */
export async function requireUnlocked(
  app: ExperimentsApp,
  caller: Caller,
  { project, environment }: ExperimentPlace,
): Promise<void> {
  const { approvals } = await getEnvironment(app, project, environment);
  if (approvals === 0) await requireChangeable(app, caller, { project, environment });
}
