import type { Caller } from "../access/caller.ts";
import { formOfMetric, parseGuard } from "../flags/ramps/guard.ts";
import type { FormRecord } from "../forms/form.ts";
import { findForm } from "../forms/lookup.ts";
import type { FormsApp } from "../forms/store.ts";

/**
 * Checks the forms whose submissions metrics and guards count. Throws `not_found` for a missing form, `conflict` for a
 * name in several projects, `forbidden` without `forms:read` for the form.
 */
export async function requireForms(
  app: FormsApp,
  caller: Caller,
  project: string,
  { metrics = [], guards = [] }: { metrics?: readonly string[]; guards?: readonly string[] | undefined },
): Promise<void> {
  for (const metric of [...metrics, ...guards.map((guard) => parseGuard(guard).metric)]) {
    const name = formOfMetric(metric);
    if (name !== null) await findForm(app, caller, "forms:read", await nearest(app, project, name));
  }
}

/** The form whose submissions a metric counts; undefined if it no longer exists. */
export async function formOf(
  { store }: { store: Pick<FormsApp["store"], "forms"> },
  project: string,
  metric: string,
): Promise<FormRecord | undefined> {
  const name = formOfMetric(metric);
  if (name === null) return undefined;
  const [slug, of] = name.split(":").toReversed() as [string, string?];
  const named = await store.forms.named(slug);
  if (of !== undefined) return named.find((form) => form.project === of);
  return named.find((form) => form.project === project) ?? (named.length === 1 ? named[0] : undefined);
}

/** The name of a form in the project of an experiment, else in any. */
async function nearest({ store }: Pick<FormsApp, "store">, project: string, name: string): Promise<string> {
  const named = name.includes(":") ? [] : await store.forms.named(name);
  return named.some((form) => form.project === project) ? `${project}:${name}` : name;
}
