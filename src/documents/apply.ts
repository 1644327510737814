import { DEFAULT_PROJECT } from "../access/place.ts";
import { clock } from "../base/clock.ts";
import type { Caller } from "../access/caller.ts";
import { change } from "../access/door.ts";
import { hasScope, requireScope, requireScopeSomewhere, visibleProjects } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { createTurns, yieldToEventLoop } from "../base/event-loop.ts";
import { requireUnused } from "../flags/archive.ts";
import { SHARED } from "../flags/flag-fields.ts";
import { missingSegments } from "../flags/flagd/results.ts";
import { requireSoundContent } from "../flags/previews/preview-content.ts";
import { requireNeedsAfter } from "../flags/requires/after.ts";
import { archives } from "../flags/requires/to-check.ts";
import { parseRules } from "../flags/rules/rules.ts";
import { checkForm } from "../forms/form-check.ts";
import { beginRemoval } from "../forms/keeping/removal.ts";
import { type LockedPlace, describeLocks, lockError, unconfirmedLocks } from "../projects/locks.ts";
import { requireSettings } from "../projects/settings.ts";
import { type Difference, type Document, pathOf } from "./document.ts";
import { lossesOf } from "./losses.ts";
import { planOf, type Wanted } from "./plan-document.ts";
import { checkSources, namesForms } from "./sources.ts";
import { fault, type ContentCheck, type DocumentPlan, type FormCheck, type RuleCheck } from "./plan.ts";
import { reachOf } from "./reach.ts";
import { turnedOffAfter, turnedOffSentences } from "./needs-after.ts";
import type { Setup, SetupChange } from "./setup.ts";
import type { DocumentsApp } from "./store.ts";
import { type FlagPlace, requireFlag } from "../forms/intake/open-when.ts";
import { type OpenedForm, openedBy, opensForm } from "../projects/opened-form.ts";

/** Milliseconds of checking rules after which other work of the event loop takes its turn. */
const SLICE_MS = 5;

/** The differences of a document, and a warning with its path for each rule that flagd accepts but cannot evaluate. */
type Applied = { changes: Difference[]; warnings: string[] };

/** The differences that a document would apply. Throws `invalid` with the path of a fault, `forbidden`. */
export async function compareDocument(
  app: DocumentsApp,
  caller: Caller,
  document: Document,
  prune: boolean,
): Promise<Applied> {
  const home = await homeOf(app, caller, document);
  requireScopeIn(caller, "read", document, home);
  const { plan, warnings } = await planDocument(app, caller, { document, home, prune });
  return { changes: plan.differences, warnings };
}

/**
 * Applies a document, completely or not at all, and returns the differences. Throws `invalid` with the path of a fault,
 * `forbidden`, and `unconfirmed` if it changes a locked environment without confirmation, or deletes something that
 * {@link lossesOf} lists and is not `confirmed`.
 */
export async function applyDocument(
  app: DocumentsApp,
  caller: Caller,
  document: Document,
  { prune, confirmed }: { prune: boolean; confirmed: boolean },
): Promise<Applied> {
  const applied = await change(app, caller, async () => {
    const home = await homeOf(app, caller, document);
    requireScopeIn(caller, "admin", document, home);
    const { plan, setup, warnings } = await planDocument(app, caller, { document, home, prune });
    if (plan.changes.some((each) => each.change === "insertProject")) requireScope(caller, "admin");
    for (const each of plan.changes)
      if (each.change === "setProject") requireSettings(caller, each.project, each.settings);
    const locks = await locksOf(app, caller, plan.changes);
    const losses = confirmed ? [] : await lossesOf(app, plan, setup);
    if (losses.length > 0)
      throw new AppError("unconfirmed", [...losses, ...locks].join("; "), {
        reason: "document-unconfirmed",
        hint: "confirm it with the field `confirmed`, and locked environments by their names in the header X-Confirm",
      });
    if (locks.length > 0) throw lockError(locks);
    const changes = plan.changes.map((each) =>
      each.change === "deleteForm" ? { ...each, onlyEmpty: !confirmed } : each,
    );
    return { changes, result: { changes: plan.differences, warnings } };
  });
  await beginRemoval(app);
  return applied;
}

/**
 * The project of the forms at the top of a document: the only one that the caller sees or the document creates, else
 * `default`. A document that has the forms of that project too, as an export may, means `default`.
 */
async function homeOf(
  app: DocumentsApp,
  caller: Caller,
  { forms, projects = {} }: Document,
): Promise<string> {
  if (forms === undefined) return DEFAULT_PROJECT;
  const visible = visibleProjects(caller, "read");
  const stored = visible ?? (await app.store.projects.list()).map(({ slug }) => slug);
  const [only = DEFAULT_PROJECT, ...others] = new Set([...stored, ...Object.keys(projects)]);
  return others.length > 0 || projects[only]?.forms ? DEFAULT_PROJECT : only;
}

/** Throws `forbidden`, and `not_found` for a project that the caller does not see, whether it exists or not. */
function requireScopeIn(
  caller: Caller,
  scope: "read" | "admin",
  { projects = {}, forms }: Document,
  home: string,
): void {
  const slugs = Object.keys(projects);
  for (const project of slugs) requireScope(caller, scope, { project });
  if (forms !== undefined) requireScope(caller, scope, { project: home });
  if (forms === undefined && slugs.length === 0) requireScopeSomewhere(caller, scope);
}

async function planDocument(
  app: DocumentsApp,
  caller: Caller,
  given: Omit<Wanted, "author" | "seesForms">,
): Promise<{ plan: DocumentPlan; setup: Setup; warnings: string[] }> {
  const { document, home } = given;
  const seesForms = (project: string) => hasScope(caller, "forms:read", { project });
  const wanted = { ...given, author: caller, seesForms };
  const named = document.projects ?? {};
  const withForms =
    document.forms !== undefined || namesForms(document) || Object.values(named).some(({ forms }) => forms);
  const projects = [...new Set([...Object.keys(named), ...(document.forms ? [home] : [])])];
  const setup = await app.store.setup.read(projects, withForms);
  const plan = await planOf(app, setup, wanted);
  const warnings = await checkRules(plan.checks);
  await checkContents(plan.contents);
  await checkForms(plan.forms);
  await checkOpenedForms(app, caller, plan);
  await checkSources(app, caller, plan);
  await requireNeedsAfter(app.store, plan.changes);
  warnings.push(...turnedOffSentences(await turnedOffAfter(app, plan.changes), plan.changes));
  for (const each of plan.changes)
    if (each.change === "putFlag" && archives(each) === true) await requireUnused(app, caller, each);
  return { plan, setup, warnings };
}

/**
 * The place whose lock a change is subject to: an environment, or the whole project. None if the change leaves the
 * values of flags as they are: what all environments share is no value of one, and a new flag is off.
 */
function placesOf(each: SetupChange): LockedPlace[] {
  const reach = reachOf(each);
  if (reach === null || reach === "project") return [];
  const isShared = each.change === "putFlag" && reach.environment !== undefined && !changesValues(each);
  return isShared ? [] : [reach];
}

function changesValues({ history }: SetupChange & { change: "putFlag" }): boolean {
  const valuesOf = (state: unknown) => {
    const values = { enabled: false, expiredAt: null, ...(state as object) };
    return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(SHARED, name)));
  };
  return !Bun.deepEquals(valuesOf(history?.before), valuesOf(history?.after), true);
}

/** The locks that a caller has to confirm, as messages. Throws `forbidden` for a caller who may not change them. */
async function locksOf(app: DocumentsApp, caller: Caller, changes: SetupChange[]): Promise<string[]> {
  const places = new Map<string, LockedPlace>();
  const takeTurns = createTurns();
  for (const each of changes) {
    for (const place of placesOf(each)) places.set(JSON.stringify(place), place);
    await takeTurns();
  }
  const locked = new Map<string, Set<string>>();
  for (const place of places.values()) {
    const slugs = await unconfirmedLocks(app, caller, place);
    const known = locked.get(place.project) ?? new Set();
    if (slugs.length > 0) locked.set(place.project, new Set([...known, ...slugs]));
  }
  return [...locked].map(([project, slugs]) => describeLocks(project, [...slugs]));
}

/** The warnings about rules. Throws `invalid` with the path of the first rule that is not valid. */
async function checkRules(checks: RuleCheck[]): Promise<string[]> {
  if (checks.length === 0) return [];
  // Imported on demand: the library takes as long to load as the rest of a command.
  const { inspectRules, inspectSegment } = await import("../flags/flagd/check.ts");
  const warnings: string[] = [];
  let start = clock.steady();
  for (const { path, segments, ...check } of checks) {
    const found =
      "segment" in check ? inspectSegment(check.segment) : inspectRules(parseRules(check.rules), segments);
    if (found.fault) throw fault(path + pointerPath(found.fault.path), found.fault.message);
    for (const each of found.warnings) warnings.push(`${path}${pointerPath(each.path)}: ${each.message}`);
    const missing = "segment" in check ? missingSegments(check.segment, segments) : [];
    for (const name of missing) warnings.push(`${path}: the segment "${name}" does not exist`);
    if (clock.steady() - start < SLICE_MS) continue;
    await yieldToEventLoop();
    start = clock.steady();
  }
  return warnings;
}

/** Throws `invalid` with the path of the first content of a preview that makes too much HTML. */
async function checkContents(checks: ContentCheck[]): Promise<void> {
  for (const { path, markdown } of checks) {
    try {
      await requireSoundContent(markdown);
    } catch (error) {
      throw error instanceof AppError ? fault(path, error.message) : error;
    }
    await yieldToEventLoop();
  }
}

/** Throws `invalid` with the path of the first form whose settings are not valid. */
async function checkForms(checks: FormCheck[]): Promise<void> {
  let start = clock.steady();
  for (const { path, form, before } of checks) {
    try {
      await checkForm(form, before);
    } catch (error) {
      if (error instanceof AppError)
        throw new AppError("invalid", `${path}.${error.message}`, { hint: error.hint ?? undefined });
      throw error;
    }
    if (clock.steady() - start < SLICE_MS) continue;
    await yieldToEventLoop();
    start = clock.steady();
  }
}

/** A JSON pointer (RFC 6901) as a suffix of a path. */
function pointerPath(pointer: string): string {
  if (pointer === "") return "";
  const steps = pointer.slice(1).split("/");
  return `.${pathOf(...steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")))}`;
}

/**
 * Checks the flags that open forms, in the state after a plan. Throws `not_found` if a form would name a missing flag,
 * `forbidden` if the caller may not read the flag, and `conflict` for the deletion of a flag that a form still names.
 */
async function checkOpenedForms(
  app: DocumentsApp,
  caller: Caller,
  { changes, forms }: DocumentPlan,
): Promise<void> {
  const flags = { exists: (place: FlagPlace) => existsAfter(app, changes, place) };
  for (const { path, form, before } of forms) {
    try {
      await requireFlag(flags, caller, form, before?.openWhen);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      throw new AppError(error.code, `${path}.openWhen: ${error.message}`, { hint: error.hint ?? undefined });
    }
  }
  const isKept = ({ project, form: slug }: OpenedForm, ofFlag: string) => {
    const planned = forms.find(({ form }) => form.project === project && form.slug === slug);
    if (planned) return planned.form.openWhen === ofFlag;
    return !changes.some(
      (each) => each.change === "deleteForm" && each.project === project && each.slug === slug,
    );
  };
  for (const each of changes) {
    if (each.change !== "deleteFlag" && each.change !== "deleteEnvironment") continue;
    const { project } = each;
    const opened = openedBy(await app.store.projects.openedForms(project), each);
    const kept = opened.filter((each) => isKept(each, `${project}/${each.environment}/${each.flag}`));
    if (kept.length > 0) throw opensForm(caller, project, kept);
  }
}

/** Whether a flag exists once the changes of a plan are applied. */
async function existsAfter(
  app: DocumentsApp,
  changes: readonly SetupChange[],
  { project, environment, flag }: FlagPlace,
): Promise<boolean> {
  const has = (test: (each: SetupChange) => boolean) => changes.some(test);
  const isGone = has(
    (each) =>
      (each.change === "deleteFlag" && each.project === project && each.flag === flag) ||
      (each.change === "deleteEnvironment" && each.project === project && each.environment === environment),
  );
  if (isGone) return false;
  const stored = await app.store.projects.find(project);
  const isPlace =
    stored?.environments.some(({ slug }) => slug === environment) ||
    has(
      (each) =>
        each.change === "insertEnvironment" &&
        each.project === project &&
        each.environment.slug === environment,
    );
  if (!isPlace) return false;
  const isPlanned = has(
    (each) => each.change === "putFlag" && each.project === project && each.flag === flag,
  );
  return isPlanned || (stored !== undefined && (await app.store.flags.missing(project, [flag])).length === 0);
}
