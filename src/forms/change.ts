import type { FormRecord } from "./form.ts";

/** A change of forms, as the store makes it. */
export type FormChange =
  | { change: "insertForm"; form: FormRecord }
  | { change: "updateForm"; form: FormRecord }
  /** With `onlyEmpty`, the plan is outdated where the form has a submission. */
  | { change: "deleteForm"; slug: string; key: string; onlyEmpty: boolean };
