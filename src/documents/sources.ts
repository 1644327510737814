import type { Caller } from "../access/caller.ts";
import type { FormPlace } from "../access/place.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { Field } from "../base/kinds/kinds.ts";
import { isObject } from "../base/json.ts";
import {
  type GivenSource,
  type SegmentSource,
  SOURCE,
  checkSource,
  scopeOfSource,
  sourceFrom,
} from "../flags/source-card.ts";
import { type FilledSegment, type FormRecord, filledSegment } from "../forms/form.ts";
import { parseFormName } from "../forms/form-name.ts";
import type { Document } from "./document.ts";
import { type DocumentPlan, fault } from "./plan.ts";
import type { SetupChange } from "./setup.ts";
import type { DocumentsApp } from "./store.ts";

/** Finds the form that a segment names, or undefined. */
export type FindForm = (name: string) => FormPlace | undefined;

/** The source that a document gives a segment; undefined for one with a rule. Throws `invalid`. */
export function sourceOf(path: string, wanted: unknown, findForm: FindForm): SegmentSource | undefined {
  if (!hasSource(wanted)) return undefined;
  const { source } = wanted;
  const unknown = Object.keys(source).find((key) => !Object.hasOwn(SOURCE, key));
  const keys = Object.keys(SOURCE).join(", ");
  if (unknown !== undefined) throw fault(`${path}.source`, `unknown key "${unknown}"; the keys are ${keys}`);
  for (const [key, field] of Object.entries<Field>(SOURCE)) {
    const value = source[key];
    if (value === undefined && !field.required) continue;
    const isSwitch = field.kind.is === "switch";
    if (
      isSwitch
        ? typeof value !== "boolean"
        : typeof value !== "string" || value === "" || value.length > mostOf(field)
    )
      throw fault(
        `${path}.source.${key}`,
        isSwitch ? "it is true or false" : `it is a text of 1 to ${mostOf(field)} characters`,
      );
  }
  const given = source as GivenSource;
  const form = findForm(given.form);
  if (!form) throw fault(`${path}.source.form`, `the form "${given.form}" does not exist`);
  return sourceFrom(given, form);
}

/** The most characters of a field that is no switch. */
function mostOf({ kind }: Field): number {
  return "most" in kind ? kind.most : 0;
}

/** Whether the definition of a segment in a document names a form. */
export function hasSource(wanted: unknown): wanted is { source: Record<string, unknown> } {
  return isObject(wanted) && Object.keys(wanted).join() === "source" && isObject(wanted["source"]);
}

/** Whether a segment or an experiment of a document may name forms, so that these are to be read. */
export function namesForms({ projects = {} }: Document): boolean {
  return Object.values(projects).some(({ environments = {} }) =>
    Object.values(environments).some(
      ({ segments = {}, experiments }) =>
        experiments !== undefined || Object.values(segments).some(hasSource),
    ),
  );
}

/**
 * Finds a form by name, in the project of its segment or else in any project: among existing forms and new ones of the
 * document.
 */
export function formNamed(
  forms: readonly FormRecord[],
  { document, home }: { document: Document; home: string },
  project: string,
  name: string,
): FormPlace | undefined {
  const { project: given, slugOrKey } = parseFormName(name);
  const at = given ?? project;
  const created = at === home && document.forms ? document.forms : document.projects?.[at]?.forms;
  if (created && Object.hasOwn(created, slugOrKey)) return { project: at, slug: slugOrKey };
  const isNamed = ({ slug, key }: { slug: string; key: string }) => slug === slugOrKey || key === slugOrKey;
  const near = forms.find((form) => form.project === at && isNamed(form));
  if (near || given !== null) return near;
  const [only, ...others] = forms.filter(isNamed);
  return others.length === 0 ? only : undefined;
}

/**
 * Checks the forms that fill segments, in the state after a plan. Throws `forbidden` if the caller may not read one,
 * and `conflict` for the deletion of a form that still fills a segment.
 */
export async function checkSources(
  app: DocumentsApp,
  caller: Caller,
  { changes, sources }: DocumentPlan,
): Promise<void> {
  for (const { path, source } of sources) {
    requireScope(caller, scopeOfSource(source), { project: source.project });
    try {
      await checkSource(source);
    } catch (error) {
      throw error instanceof AppError ? fault(`${path}.source`, error.message) : error;
    }
  }
  for (const each of changes) {
    if (each.change !== "deleteForm") continue;
    const planned = sources.find(
      ({ source }) => source.project === each.project && source.form === each.slug,
    );
    const kept = (await app.store.forms.filledBy(each.key)).filter(
      (filled) => !changes.some((other) => ends(other, filled)),
    );
    if (planned) throw new AppError("conflict", `${planned.path}: the form "${each.slug}" would be deleted`);
    if (kept.length > 0) throw filledSegment(caller, each.slug, kept);
  }
}

/** Whether a change ends what a form fills: the segment is deleted, with its environment or alone, or gets another rule or form. */
function ends(change: SetupChange, { project, environment, segment }: FilledSegment): boolean {
  if (change.change === "deleteEnvironment")
    return change.project === project && change.environment === environment;
  if (change.change !== "deleteSegment" && change.change !== "putSegment") return false;
  return change.project === project && change.environment === environment && change.segment === segment;
}
