import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { type Find, createCache } from "../base/changes.ts";
import { AppError } from "../base/errors.ts";
import type { SetResult } from "../base/result.ts";
import type { FormChange } from "./change.ts";
import { checkForm } from "./form-check.ts";
import {
  applyFormPatch,
  newForm,
  noSuchForm,
  viewForm,
  type Form,
  type FormPatch,
  type FormRecord,
  type NewForm,
} from "./form.ts";
import { requireConfirmedPeriods } from "./keeping/keeping.ts";
import { beginRemoval } from "./keeping/removal.ts";
import { planDeletion, planInsert, planUpdate } from "./plan.ts";
import type { FormsApp } from "./store.ts";

/** Creates a form with its key: enabled, uploads off. Throws `conflict` for a slug in use, `invalid`, `forbidden`, `unconfirmed`. */
export function createForm(app: FormsApp, caller: Caller, input: NewForm): Promise<Form> {
  requireScope(caller, "forms:write");
  return change(app, caller, async (): Promise<Plan<FormChange, Form>> => {
    const form = newForm(app, input);
    if (await app.store.forms.find(form.slug))
      throw new AppError("conflict", `form "${form.slug}" already exists`, { reason: "form-exists" });
    await checkForm(form);
    await requireConfirmedPeriods(app, caller, undefined, form);
    return { changes: [planInsert(form)], result: viewForm(form) };
  });
}

/**
 * Changes the settings of a form. Throws `not_found`, `invalid`, `forbidden`, and `unconfirmed` if it would keep
 * submissions for less than a day, or for a shorter time than some are stored already.
 */
export function setForm(
  app: FormsApp,
  caller: Caller,
  slugOrKey: string,
  patch: FormPatch,
): Promise<{ form: Form; result: SetResult }> {
  requireScope(caller, "forms:write");
  return change(app, caller, async ({ at }) => {
    const before = await findRecord(app, slugOrKey);
    const { record, result } = applyFormPatch(before, patch, at);
    await checkForm(record, before);
    await requireConfirmedPeriods(app, caller, before, record);
    const changes = result === "unchanged" ? [] : [planUpdate(before, record)];
    return { changes, result: { form: viewForm(record), result } };
  });
}

/**
 * Deletes a form. The form is gone at once; its submissions and files are removed in steps, in the background where there
 * are many. Throws `not_found`, `forbidden`.
 */
export async function deleteForm(app: FormsApp, caller: Caller, slugOrKey: string): Promise<void> {
  requireScope(caller, "forms:write");
  await change(app, caller, async (): Promise<Plan<FormChange, void>> => {
    return { changes: [planDeletion(await findRecord(app, slugOrKey), false)], result: undefined };
  });
  await beginRemoval(app);
}

/** The form of that slug or key. Throws `not_found`. */
export async function getForm(app: FormsApp, slugOrKey: string): Promise<Form> {
  return viewForm(await findRecord(app, slugOrKey));
}

/** Every form, by slug. */
export async function listForms(app: FormsApp): Promise<Form[]> {
  return (await app.store.forms.list()).map(viewForm);
}

/** Returns a lookup of forms by the key in their URL, cached until the setup changes. */
export function createFormFinder({ watch, store }: Pick<FormsApp, "watch" | "store">): Find<Form> {
  return createCache(watch, async (key) => {
    const record = await store.forms.findByKey(key);
    return record && viewForm(record);
  });
}

async function findRecord(app: FormsApp, slugOrKey: string): Promise<FormRecord> {
  const form = await app.store.forms.find(slugOrKey);
  if (!form) throw noSuchForm(slugOrKey);
  return form;
}
