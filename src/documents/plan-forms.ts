import type { ClockAndRandom } from "../base/clock.ts";
import { applyFormPatch, newForm } from "../forms/form.ts";
import { planDeletion, planInsert, planUpdate } from "../forms/plan.ts";
import { type Document, formEntry, pathOf } from "./document.ts";
import { type DocumentPlan, add, fault } from "./plan.ts";
import type { Setup } from "./setup.ts";

/** The forms of one project as they should be. */
type Forms = {
  project: string;
  forms: NonNullable<Document["forms"]>;
  /** Their place in the document. */
  at: readonly string[];
  prune: boolean;
};

/** Adds the differences of a project's forms to a plan. Throws as `planOf` does. */
export function planForms(
  clock: ClockAndRandom,
  plan: DocumentPlan,
  setup: Setup,
  { project, forms, at, prune }: Forms,
): void {
  const own = setup.forms.filter((record) => record.project === project);
  const records = new Map(own.map((record) => [record.slug, record]));
  for (const [slug, patch] of Object.entries(forms)) {
    const path = pathOf(...at, slug);
    const current = records.get(slug);
    if (!current) {
      if (setup.forms.some(({ key }) => key === slug))
        throw fault(path, "this name is the key of another form");
      const form = newForm(clock, { ...patch, project, slug });
      add(
        plan,
        { action: "create", kind: "form", path, before: null, after: formEntry(form) },
        planInsert(form),
      );
      plan.forms.push({ path, form });
      continue;
    }
    const { record, result } = applyFormPatch(current, patch, clock.now());
    if (result === "unchanged") continue;
    add(
      plan,
      { action: "update", kind: "form", path, before: formEntry(current), after: formEntry(record) },
      planUpdate(current, record),
    );
    plan.forms.push({ path, form: record, before: current });
  }
  if (!prune) return;
  for (const [slug, record] of records) {
    if (Object.hasOwn(forms, slug)) continue;
    const path = pathOf(...at, slug);
    add(
      plan,
      { action: "delete", kind: "form", path, before: formEntry(record), after: null },
      planDeletion(record, true),
    );
  }
}
