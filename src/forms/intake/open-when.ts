import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { SLUG } from "../../base/slug.ts";
import type { Form } from "../form.ts";
import { languageOf } from "./metadata.ts";

/** A flag in an environment, by its slugs. */
export type FlagPlace = { project: string; environment: string; flag: string };

/** The context of the flag: the slug of the form, and what the browser of the sender says of itself. */
type OpenContext = { form: string; origin?: string; language?: string };

/** Flags, as forms use them. */
export type FlagPort = {
  /** Whether there is such a flag. */
  exists(place: FlagPlace): Promise<boolean>;
  /** Whether a flag is true for a context, as its readers would get it; false for one that does not exist. Throws `unavailable`. */
  isTrue(place: FlagPlace, context: OpenContext): boolean | Promise<boolean>;
};

/** Whether a text can name a flag as `project/environment/flag`. */
export function isFlagName(text: string): boolean {
  const parts = text.split("/");
  return parts.length === 3 && parts.every((part) => SLUG.test(part));
}

/** The flag of a text for which {@link isFlagName} is true. */
export function parseFlagName(text: string): FlagPlace {
  const [project, environment, flag] = text.split("/");
  return { project: project!, environment: environment!, flag: flag! };
}

/**
 * Checks that a setting `openWhen` that differs from `before` names a flag that exists, and that the caller may read it.
 * Throws `not_found`, `forbidden`.
 */
export async function requireFlag(
  flags: Pick<FlagPort, "exists">,
  caller: Caller,
  { openWhen }: Pick<Form, "openWhen">,
  before: string | null = null,
): Promise<void> {
  if (openWhen === null || openWhen === before) return;
  const place = parseFlagName(openWhen);
  requireScope(caller, "flags:read", place);
  if (!(await flags.exists(place)))
    throw new AppError("not_found", `flag "${openWhen}" does not exist`, {
      reason: "open-when-missing",
      hint: "create the flag first, or name another one",
    });
}

/** Places of flags, parsed once for each form: a form that changes is read as a new object. */
const places = new WeakMap<Form, FlagPlace>();

/** Throws `conflict`, at once or later, while the flag that opens a form is not true for the sender of a request. */
export function checkFlag(flags: FlagPort, form: Form, headers: Headers): void | Promise<void> {
  let place = places.get(form);
  if (!place) places.set(form, (place = parseFlagName(form.openWhen!)));
  const [origin, language] = [headers.get("origin"), languageOf(headers.get("accept-language"))];
  const answer = flags.isTrue(place, {
    form: form.slug,
    ...(origin !== null && { origin }),
    ...(language !== null && { language }),
  });
  return answer instanceof Promise ? answer.then(requireOpen) : requireOpen(answer);
}

function requireOpen(isOpen: boolean): void {
  if (!isOpen) throw new AppError("conflict", "this form is closed", { reason: "form-flag-off" });
}
