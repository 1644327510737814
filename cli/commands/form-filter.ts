import type { FormName } from "../../src/forms/form-name.ts";
import type { Input } from "../session/input.ts";

/** The forms of a list, as the admin API takes them: one, in the project that its name has, or those of a project. */
export type FormFilter = { form?: FormName | undefined; project?: string | undefined };

/** The filter that `--form`, or the form that is given, and `-p` describe. */
export async function formFilter(
  input: Input,
  given = input.options["form"] as string | undefined,
): Promise<FormFilter> {
  return given === undefined ? { project: input.givenProject() } : { form: await input.form(given) };
}
