import type { FormRecord } from "./form.ts";

/** A change of forms, as the store applies it. */
export type FormChange =
  | { change: "insertForm"; form: FormRecord }
  | { change: "updateForm"; form: FormRecord }
  /** With `onlyEmpty`, the store rejects the plan as outdated if the form has a submission. */
  | { change: "deleteForm"; slug: string; key: string; onlyEmpty: boolean };
