import type { Caller } from "../access/caller.ts";
import { AppError } from "../base/errors.ts";
import { type FlagPlace, requireFlag } from "../forms/intake/open-when.ts";
import { type OpenedForm, openedBy, opensForm } from "../projects/opened-form.ts";
import type { DocumentPlan } from "./plan.ts";
import type { SetupChange } from "./setup.ts";
import type { DocumentsApp } from "./store.ts";

/**
 * Checks the flags that open forms, in the state after a plan. Throws `not_found` if a form would name a missing flag,
 * `forbidden` if the caller may not read the flag, and `conflict` for the deletion of a flag that a form still names.
 */
export async function checkOpenedForms(
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
