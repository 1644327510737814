import type { Caller } from "../access/caller.ts";
import { formOfMetric, parseGuard } from "../flags/ramps/guard.ts";
import { findForm } from "../forms/lookup.ts";
import type { FormsApp } from "../forms/store.ts";

/**
 * Checks the forms that metrics and guards count submissions of. Throws `not_found` for one that does not exist, `conflict`
 * for a name that several projects have, `forbidden` without `forms:read` where it is.
 */
export async function requireForms(
  app: FormsApp,
  caller: Caller,
  project: string,
  { metrics = [], guards = [] }: { metrics?: readonly string[]; guards?: readonly string[] },
): Promise<void> {
  for (const metric of [...metrics, ...guards.map((guard) => parseGuard(guard).metric)]) {
    const name = formOfMetric(metric);
    if (name !== null) await findForm(app, caller, "forms:read", await nearest(app, project, name));
  }
}

/** The name of a form in the project of an experiment, else in any. */
async function nearest({ store }: Pick<FormsApp, "store">, project: string, name: string): Promise<string> {
  const named = name.includes(":") ? [] : await store.forms.named(name);
  return named.some((form) => form.project === project) ? `${project}:${name}` : name;
}
