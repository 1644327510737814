import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScopeSomewhere } from "../access/rights.ts";
import { type Find, createCache } from "../base/changes.ts";
import { AppError } from "../base/errors.ts";
import type { Page } from "../base/pages.ts";
import type { SetResult } from "../base/result.ts";
import type { ProjectChange } from "../projects/change.ts";
import { planProject } from "../projects/plan.ts";
import { newProject } from "../projects/project.ts";
import { DEFAULT_PROJECT } from "../access/place.ts";
import type { FormChange } from "./change.ts";
import { checkForm } from "./form-check.ts";
import {
  applyFormPatch,
  filledSegment,
  newForm,
  placeIn,
  viewForm,
  type Form,
  type FormPatch,
  type FormRecord,
  type NewForm,
} from "./form.ts";
import { type FormName, parseFormName } from "./form-name.ts";
import { requireFlag } from "./intake/open-when.ts";
import { LEARNING } from "./limits.ts";
import { findForm, selectForms, selectProjects } from "./lookup.ts";
import { requireConfirmedPeriods } from "./keeping/keeping.ts";
import { beginRemoval } from "./keeping/removal.ts";
import { planDeletion, planInsert, planMove, planUpdate } from "./plan.ts";
import { NAMES } from "./settings/settings.ts";
import type { FormsApp } from "./store.ts";

/**
 * Creates a form with its key; it is enabled and refuses uploads. Without a project, it belongs to the only project in
 * which the caller may write forms, or to `default` if there are several; without any project, `default` is created.
 * Throws `conflict` for a slug in use, `invalid`, `not_found` for the project, `forbidden`, `unconfirmed`.
 */
export function createForm(
  app: FormsApp,
  caller: Caller,
  given: GivenForm | (() => Promise<GivenForm>),
): Promise<Form> {
  requireScopeSomewhere(caller, "forms:write");
  return change(app, caller, async ({ at }): Promise<Plan<FormChange | ProjectChange, Form>> => {
    const { project, ...input } = typeof given === "function" ? await given() : given;
    const draft = newForm(app, { ...input, project: project ?? DEFAULT_PROJECT });
    await checkForm(draft);
    const place = await placeOf(app, caller, project);
    const form = { ...draft, project: place };
    await requireFree(app, form);
    await requireFlag(app.flags, caller, form);
    // The periods of a copy were confirmed with those of the other form.
    if (typeof given !== "function") await requireConfirmedPeriods(app, caller, undefined, form);
    const isMissing = !(await app.store.projects.find(place));
    const creation = isMissing ? planProject(newProject(app, { slug: place }), at) : [];
    return { changes: [...creation, planInsert(form)], result: viewForm(form) };
  });
}

type GivenForm = NewForm & { project?: string | undefined };

/**
 * Creates a form with the settings and fields of another one, in its project unless `given` names one; without submissions,
 * targets and feeds, and with a key of its own. It is called by its slug unless `given` has a name. Throws as {@link createForm}.
 */
export async function copyForm(
  app: FormsApp,
  caller: Caller,
  name: FormName,
  given: { slug: string; name?: string | undefined; project?: string | undefined },
): Promise<Form> {
  // A form that the caller does not see is missing, whatever they may do elsewhere.
  await findForm(app, caller, "forms:write", name);
  return createForm(app, caller, async () => {
    const { project, ...record } = await findForm(app, caller, "forms:write", name);
    const settings = Object.fromEntries(NAMES.map((each) => [each, record[each]])) as FormPatch;
    return { ...settings, ...given, name: given.name ?? given.slug, project: given.project ?? project };
  });
}

/** The project of a new form. */
async function placeOf(app: FormsApp, caller: Caller, project: string | undefined): Promise<string> {
  const writable = await selectProjects(app, caller, "forms:write", project);
  if (project !== undefined) return project;
  const slugs = writable ?? (await app.store.projects.list()).map(({ slug }) => slug);
  if (slugs.length === 1) return slugs[0]!;
  if (slugs.includes(DEFAULT_PROJECT) || (writable === null && slugs.length === 0)) return DEFAULT_PROJECT;
  throw new AppError("invalid", `a form is in a project: name one of ${slugs.toSorted().join(", ")}`, {
    reason: "form-without-project",
  });
}

/** Throws `conflict` for a form whose slug is in use in its project. */
async function requireFree(
  app: FormsApp,
  { project, slug }: FormRecord,
  reason = "form-exists",
): Promise<void> {
  const named = await app.store.forms.named(slug);
  // The key of another form would not find it any more.
  if (named.some((other) => other.project === project || other.key === slug))
    throw new AppError("conflict", `form "${slug}" already exists${placeIn(project)}`, {
      reason,
    });
}

type GivenPatch = FormPatch & { project?: string | undefined };

/**
 * Changes the settings of a form, and moves it if the patch names another project. A patch that depends on the settings is a
 * function of them, which is called again if another change comes first. Throws `not_found`, `invalid`,
 * `forbidden`, `conflict` if the slug is in use in that project, and `unconfirmed` if the form would keep submissions
 * for less than a day, or for a shorter time than some have been stored.
 */
export function setForm(
  app: FormsApp,
  caller: Caller,
  name: FormName,
  given: GivenPatch | ((form: Form) => GivenPatch),
): Promise<{ form: Form; result: SetResult }> {
  return change(app, caller, async ({ at }) => {
    const found = await findForm(app, caller, "forms:write", name);
    const { project, ...patch } = typeof given === "function" ? given(viewForm(found)) : given;
    const moved = project === undefined ? [] : await planMoveTo(app, caller, found, project);
    const before = moved.length === 0 ? found : { ...found, project: project! };
    const { record, result } = applyFormPatch(before, patch, at);
    await checkForm(record, before);
    await requireFlag(app.flags, caller, record, before.openWhen);
    await requireConfirmedPeriods(app, caller, before, record);
    const changes = result === "unchanged" ? [] : [planUpdate(before, record)];
    return {
      changes: [...moved, ...changes],
      result: { form: viewForm(record), result: moved.length > 0 ? "updated" : result },
    };
  });
}

/** The changes that move a form; none where it is there. */
async function planMoveTo(app: FormsApp, caller: Caller, form: FormRecord, project: string) {
  await selectProjects(app, caller, "forms:write", project);
  if (project === form.project) return [];
  await requireFree(app, { ...form, project }, "form-name-taken");
  return planMove(form, project);
}

/**
 * Deletes a form. It is gone at once; if it has many submissions and files, they are removed in the background. Throws
 * `not_found`, `forbidden`, `conflict` for a form that fills a segment.
 */
export async function deleteForm(app: FormsApp, caller: Caller, name: FormName): Promise<void> {
  await change(app, caller, async (): Promise<Plan<FormChange, void>> => {
    const form = await findForm(app, caller, "forms:write", name);
    const filled = await app.store.forms.filledBy(form.key);
    if (filled.length > 0) throw filledSegment(caller, form.slug, filled);
    return { changes: [planDeletion(form, false)], result: undefined };
  });
  await beginRemoval(app);
}

/** The form of that name. Throws `not_found`, `conflict`, `forbidden`. */
export async function getForm(app: FormsApp, caller: Caller, name: FormName): Promise<Form> {
  return viewForm(await findForm(app, caller, "forms:read", name));
}

/** As {@link getForm}, with what its filter has learned. */
export async function showForm(app: FormsApp, caller: Caller, name: FormName): Promise<Form> {
  const form = await getForm(app, caller, name);
  if (!form.learn) return form;
  const { spam, good } = await app.store.learning.counts(form.project);
  return { ...form, learned: { spam, good, least: LEARNING.least } };
}

/** Every form that the caller sees, or those of a project, by slug and project. Throws `not_found`, `forbidden`. */
export async function listForms(app: FormsApp, caller: Caller, project?: string): Promise<Form[]> {
  return (await selectForms(app, caller, "forms:read", { project })).map(viewForm);
}

/** A page of these forms, behind the form of that name. */
export async function pageForms(
  app: FormsApp,
  caller: Caller,
  { project, limit, after }: { project?: string | undefined; limit: number; after?: FormName | undefined },
): Promise<Page<Form>> {
  const projects = await selectProjects(app, caller, "forms:read", project);
  const { items, more } = await app.store.forms.page({ projects, limit, after: cursorIn(after) });
  return { items: items.map(viewForm), more };
}

/** Sorts after every slug. */
const AFTER_EVERY_SLUG = "~";

/** A slug alone stands for the forms of that slug in every project. */
function cursorIn(after: FormName | undefined): { slug: string; project: string } | null {
  if (after === undefined) return null;
  const { project, slugOrKey: slug } = parseFormName(after);
  return { slug, project: project ?? AFTER_EVERY_SLUG };
}

/** Returns a lookup of forms by the key in their URL, cached until the setup changes. */
export function createFormFinder({ watch, store }: Pick<FormsApp, "watch" | "store">): Find<Form> {
  return createCache(watch, async (key) => {
    const record = await store.forms.findByKey(key);
    return record && viewForm(record);
  });
}
