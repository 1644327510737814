import type { HistoryEntry } from "../access/history-entry.ts";
import type { FeedRecord } from "./feeds/feed.ts";
import type { FormRecord } from "./form.ts";

type Recorded = { history?: HistoryEntry };

/** A change of forms, as the store applies it; each is recorded in the history of the project. */
export type FormChange =
  | ({ change: "insertForm"; project: string; form: FormRecord } & Recorded)
  | ({ change: "updateForm"; project: string; form: FormRecord } & Recorded)
  /** From one project to another, which exists. */
  | ({ change: "moveForm"; project: string; from: string; slug: string; key: string } & Recorded)
  | { change: "insertFeed"; feed: FeedRecord; hash: string }
  | { change: "deleteFeed"; id: string; formKey: string }
  /** With `onlyEmpty`, the store rejects the plan as outdated if the form has a submission. */
  | ({ change: "deleteForm"; project: string; slug: string; key: string; onlyEmpty: boolean } & Recorded);
