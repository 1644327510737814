import type { Caller } from "../../access/caller.ts";
import { DEFAULT_PROJECT } from "../../access/place.ts";
import type { App } from "../../app.ts";
import { nameIn } from "../../forms/form-name.ts";
import { seesFormsOf } from "../../forms/lookup.ts";

/**
 * The parameters of an address, in which a slug alone is that of a form of `default` where forms of several projects have it:
 * pages name the forms of other projects with these.
 */
export async function settleForm<P extends Readonly<Record<string, string | null>>>(
  app: App,
  caller: Caller,
  parameters: P,
): Promise<P> {
  const { form } = parameters;
  if (form == null || form.includes(":")) return parameters;
  const named = await app.store.forms.named(form);
  const seen = named.filter(({ project }) => seesFormsOf(caller, project));
  const isSettled = seen.length < 2 || !seen.some(({ project }) => project === DEFAULT_PROJECT);
  return isSettled ? parameters : { ...parameters, form: nameIn(DEFAULT_PROJECT, form) };
}
