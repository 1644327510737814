import { type Rights, hasScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";

/** A form that is open while a flag is true, and the slugs of the environment and the flag. */
export type OpenedForm = { project: string; form: string; environment: string; flag: string };

/** A project, an environment of it, or a flag in all environments that is to be deleted. */
export type Deleted = { project: string; environment?: string; flag?: string };

/** The forms among some of a project that are open while a flag in what is deleted is true. */
export function openedBy(forms: readonly OpenedForm[], { environment, flag }: Deleted): OpenedForm[] {
  return forms.filter(
    (each) =>
      (environment === undefined || each.environment === environment) &&
      (flag === undefined || each.flag === flag),
  );
}

/** The refusal to delete flags of a project that open forms. It names one form that the caller sees. */
export function opensForm(caller: Rights, project: string, opened: readonly OpenedForm[]): AppError {
  const seen = opened.find((each) => hasScope(caller, "forms:read", { project: each.project }));
  const { environment, flag } = seen ?? opened[0]!;
  const form = seen ? `form "${seen.form}" in project "${seen.project}"` : "a form";
  return new AppError(
    "conflict",
    `${form} is open while the flag ${project}/${environment}/${flag} is true`,
    { reason: "flag-opens-form", hint: "let another flag or none open the form first" },
  );
}
