import { join } from "node:path";
import type { Author } from "../../../src/access/caller.ts";
import type { Store } from "../../../src/app.ts";
import { dashedKey } from "../../../src/base/ids.ts";
import type { SetupChange } from "../../../src/documents/setup.ts";
import { applyPatch, type FlagPatch, type FlagPlace, type FlagRecord } from "../../../src/flags/flag.ts";
import { dropFlag, dropSegment, putFlag, putSegment } from "../../../src/flags/plan.ts";
import { applyDefinition } from "../../../src/flags/segment.ts";
import type { TargetRecord } from "../../../src/delivery/target.ts";
import type { FormRecord } from "../../../src/forms/form.ts";
import { planDeletion, planEnvironment } from "../../../src/projects/plan.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { environmentCalled, flagRecord, formRecord, NOW, random, targetRecord } from "./records.ts";

export const ANN: Author = { who: "ann", at: NOW };

/** Makes these changes at the version that the setup has now. */
export async function applyBy(by: Author, store: Store, ...changes: SetupChange[]): Promise<void> {
  await store.apply(changes, (await store.readVersion()).version, by);
}

/** The same as ann. */
export function apply(store: Store, ...changes: SetupChange[]): Promise<void> {
  return applyBy(ANN, store, ...changes);
}

/** Gives a flag values without a check of its rules: a file of flagd may bring ones that cannot be set. */
export async function plantFlag(
  { store, now }: { store: Store; now: () => number },
  place: FlagPlace,
  patch: FlagPatch,
): Promise<void> {
  const before = await store.flags.find(place);
  const { record, result } = applyPatch(place.flag, before, patch, now());
  if (result !== "unchanged") await apply(store, putFlag(place, before, record));
}

export async function addForm(
  store: Store,
  slug: string,
  more: Partial<FormRecord> = {},
): Promise<FormRecord> {
  const form = formRecord(slug, more);
  await apply(store, { change: "insertForm", project: form.project, form });
  return form;
}

/** Adds a target to a form of a data directory, without a check of its address. */
export async function plantTarget(
  data: string,
  formKey: string,
  more: Partial<TargetRecord> = {},
): Promise<TargetRecord> {
  const store = openSqliteStore(join(data, "formflag.db"), "inline");
  const target = targetRecord(formKey, more);
  await apply(store, { change: "insertTarget", target });
  await store.close();
  return target;
}

export function deleteFormChange({ project, slug, key }: FormRecord, onlyEmpty = false): SetupChange {
  return { change: "deleteForm", project, slug, key, onlyEmpty };
}

/** A project with these environments, whose flags and segments are changed without a rule of the product. */
export async function addProject(store: Store, project: string, ...slugs: string[]) {
  const key = dashedKey(random);
  const environments = slugs.map(environmentCalled);
  await apply(
    store,
    { change: "insertProject", project, name: "A project", key, createdAt: NOW, history: null },
    ...environments.map((each) => planEnvironment(project, each, NOW)),
  );
  const place = (environment: string, flag: string) => ({ project, environment, flag });
  const find = (environment: string, flag: string) => store.flags.find(place(environment, flag));
  /** The change that gives a flag these values in an environment; a new one is created at `createdAt`. */
  const flagChange = async (environment: string, flag: string, values: Partial<FlagRecord> = {}) => {
    const before = await find(environment, flag);
    return putFlag(place(environment, flag), before, { ...(before ?? flagRecord(flag)), ...values });
  };
  const segmentChange = async (environment: string, segment: string, rule: unknown) => {
    const where = { project, environment, segment };
    const before = await store.segments.find(where);
    return putSegment(
      where,
      before,
      applyDefinition(segment, before, { rule: JSON.stringify(rule) }, NOW).record,
    );
  };
  return {
    slug: project,
    key,
    environments,
    place,
    find,
    flagChange,
    segmentChange,
    set: async (environment: string, flag: string, values: Partial<FlagRecord> = {}) =>
      apply(store, await flagChange(environment, flag, values)),
    setSegment: async (environment: string, segment: string, rule: unknown) =>
      apply(store, await segmentChange(environment, segment, rule)),
    drop: (flag: string) => apply(store, dropFlag(project, flag, new Map())),
    dropSegment: (environment: string, segment: string) =>
      apply(store, dropSegment({ project, environment, segment }, { rule: "true" })),
    dropEnvironment: (environment: string) =>
      apply(store, planDeletion(project, environmentCalled(environment))),
    addEnvironment: async (slug: string) => {
      const environment = environmentCalled(slug);
      await apply(store, planEnvironment(project, environment, NOW));
      return environment;
    },
    delete: () => apply(store, { change: "deleteProject", project, history: null }),
    select: (environment: string) =>
      store.flags.select(environments.find((each) => each.slug === environment)!.key),
  };
}
