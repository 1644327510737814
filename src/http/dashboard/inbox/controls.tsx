import { chosenIn, shownName, formOf } from "../forms/form-words.ts";
import type { FormCounts } from "../../../forms/store.ts";
import { A, Button } from "../parts/link.tsx";
import { type InboxQuery, isFiltered, parametersOf, pathOf } from "./query.ts";
import type { Preview } from "./preview.ts";
import type { TitleOf } from "../../../forms/inbox/titles.ts";
import type { SavedView } from "../../../access/user.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { SubmissionFilter } from "../../../forms/inbox/filters.ts";
import type { SubmissionMark, SubmissionState } from "../../../forms/submission-state.ts";

/** Actions on the ticked rows, which are seen once one is ticked; `total` is of the whole list, null where it is not known. */
export function BulkBar({ query, total }: { query: InboxQuery; total: number | null }) {
  return (
    <div class="bulkbar" role="region" aria-label="Ticked submissions">
      <b class="tally">ticked</b>
      <MarkButtons folder={query.folder} hasKeys kind="low" />
      <label class="check scripted-only">
        <input type="checkbox" data-all="submission" />
        Select all on this page
      </label>
      {total !== null && (
        <A to={MATCHING} query={{ ...parametersOf({ ...query, before: null }), form: query.form }}>
          {isFiltered(query) ? "All that match…" : `All ${total.toLocaleString("en")} that match…`}
        </A>
      )}
    </div>
  );
}

/** Downloads of what the list of a form shows. */
export function ExportLinks({ query }: { query: InboxQuery }) {
  return (
    <>
      {EXPORTS.map((format) => (
        <>
          <A {...exportOf(query, format)}>{format.toUpperCase()}</A>{" "}
        </>
      ))}
    </>
  );
}

export const EXPORTS = ["csv", "xlsx", "jsonl", "zip"] as const;

/** The address of a download. */
export function exportOf(query: InboxQuery, format: (typeof EXPORTS)[number]) {
  const shown = { ...parametersOf({ ...query, before: null }), folder: query.folder };
  return { to: `${pathOf(query)}/export`, query: { ...shown, format } };
}

/** Path of actions on everything that a filter selects. It cannot be a form's: slugs do not begin with a dash. */
export const MATCHING = "/inbox/-/matching";

/** Display names of the folders. */
export const FOLDER_NAMES = {
  inbox: "Inbox",
  spam: "Spam",
  archived: "Archive",
  unconfirmed: "Unconfirmed",
} as const;

/** Data of an inbox page. */
export type Listing = {
  query: InboxQuery;
  /** Null if the query means nothing. */
  filter: SubmissionFilter | null;
  submissions: readonly Submission[];
  titleOf: TitleOf;
  next: string | null;
  /** New submissions that a search does not know yet, at most. */
  indexing: number;
  /** Counts of every form, by slug. */
  counts: readonly FormCounts[];
  /** Unread ones that are assigned to the user. */
  mine: number;
  /** The newest submission, which is open beside the list on a wide screen. */
  preview: Preview | null;
  fault: Fault | null;
  /** The submissions whose choices a table counts, and the schema of its form; null for a list. */
  table: { schema: object | null; counted: readonly Submission[] } | null;
  /** The saved views of the user. */
  views: readonly SavedView[];
};

/** Error of typed input, with its field. */
export type Fault = { field: string; message: string };

type Count = "unread" | SubmissionState;

/** How many submissions a form has, or all of them. */
export function sumOf(counts: readonly FormCounts[], form: string | null, count: Count): number {
  const [name, only] = [shownName(form), chosenIn(form).project];
  const chosen = counts.filter((each) =>
    only === null ? name === null || formOf(each) === name : each.project === only,
  );
  return chosen.reduce((sum, each) => sum + each[count], 0);
}

type MarkButton = readonly [mark: SubmissionMark, label: string, key?: string];

/** The folders to which submissions of a folder can go, with the words and the keys for it. */
export const MOVES: Record<InboxQuery["folder"], readonly MarkButton[]> = {
  inbox: [
    ["archived", "Archive", "e"],
    ["spam", "Spam", "s"],
  ],
  spam: [["inbox", "Not spam", "s"]],
  archived: [
    ["inbox", "Move to inbox", "e"],
    ["spam", "Spam", "s"],
  ],
  unconfirmed: [["spam", "Spam", "s"]],
};

/** A button for each mark that submissions of a folder can get, and one that deletes them. */
export function MarkButtons({
  folder,
  hasKeys = false,
  kind = "",
}: {
  folder: InboxQuery["folder"];
  kind?: "" | "low";
  /** Whether single keys press them, as on the page of a submission. */
  hasKeys?: boolean;
}) {
  const keyOf = (key: string | undefined) => (hasKeys ? key : undefined);
  return (
    <p class="buttons">
      {marksOf(folder).map(([mark, label, key]) => (
        <Button kind={kind} name="mark" value={mark} shortcut={keyOf(key)}>
          {label}
        </Button>
      ))}
      <Button name="mark" value="delete" kind={kind === "" ? "danger" : "danger low"} shortcut={keyOf("#")}>
        Delete
      </Button>
    </p>
  );
}

/** Actions that a folder offers, except deletion. */
function marksOf(folder: InboxQuery["folder"]): readonly MarkButton[] {
  return [["read", "Mark as read"], ["unread", "Mark as unread", "u"], ...MOVES[folder]];
}
