import type { HistoryEntry } from "../access/history-entry.ts";
import type { FormRecord } from "./form.ts";

type Recorded = { history?: HistoryEntry };

/** A change of forms, as the store applies it. */
export type FormChange =
  | ({ change: "insertForm"; form: FormRecord } & Recorded)
  | ({ change: "updateForm"; form: FormRecord } & Recorded)
  /** With `onlyEmpty`, the store rejects the plan as outdated if the form has a submission. */
  | ({ change: "deleteForm"; slug: string; key: string; onlyEmpty: boolean } & Recorded);
