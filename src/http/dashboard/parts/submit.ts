import { AppError, fieldFault } from "../../../base/errors.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";

/** Errors of a form: a sentence for each field; the empty name is the form as a whole. */
export type Faults = Readonly<Record<string, string>>;

/** A form that was not taken: what was sent, and what was wrong with it. */
export type Typed = { fields: Fields; faults: Faults };

/** A field of a form with what was typed in it, or with what is stored if the form was not sent. */
export function typedAt(
  typed: { fields: Fields | null; faults: Faults } | null | undefined,
  name: string,
  stored = "",
) {
  const value = typed?.fields ? textOf(typed.fields, name) : stored;
  return { name, value, error: typed?.faults[name] };
}

/** The faults of fields, for {@link submit}. */
export function faultsAt(faults: readonly (readonly [field: string, message: string])[]): AppError {
  const errors = faults.map(([field, message]) => fieldFault(field, message));
  return new AppError("invalid", errors[0]!.message, { errors });
}

/** The fault of one field, for {@link submit}. */
export function faultAt(field: string, message: string): AppError {
  return faultsAt([[field, message]]);
}

const STATUSES: Partial<Record<AppError["code"], 404 | 409>> = { not_found: 404, conflict: 409 };

/**
 * The cycle of a form: does what it asks for, or shows its page again with the faults. A refusal of the product stands at
 * the field that `fields` names for its reason or its code; if it names none, it is thrown on.
 */
export async function submit<T>(
  act: () => T | Promise<T>,
  again: (faults: Faults, error: AppError) => Page | Promise<Page>,
  fields: Readonly<Record<string, string>> = {},
): Promise<T | Page> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = faultsOf(error, fields);
    if (faults === null) throw error;
    return { status: STATUSES[error.code] ?? 400, ...(await again(faults, error)) };
  }
}

/** The field of a path of the input: what `fields` names for the path, else its first step. */
function fieldOf(path: string, fields: Readonly<Record<string, string>>): string {
  const [first = ""] = path.split(".");
  return fields[path] ?? fields[first] ?? first;
}

function faultsOf(error: AppError, fields: Readonly<Record<string, string>>): Faults | null {
  const { code, reason, errors, message } = error;
  const named = fields[reason ?? ""];
  if (named === undefined && code === "invalid" && errors !== null) {
    // The first fault of each field is shown.
    const shown = errors.map(({ field, message }) => [fieldOf(field, fields), sentence(message)] as const);
    return Object.fromEntries(shown.toReversed());
  }
  const field = named ?? fields[code];
  return field === undefined ? null : { [field]: sentence(message) };
}
