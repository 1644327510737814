import { chosenIn, shownName, formOf } from "../forms/form-words.ts";
import type { FormCounts } from "../../../forms/store.ts";
import { SelectField, TextField } from "../parts/field.tsx";
import { A, Button, ButtonLink, Hidden } from "../parts/link.tsx";
import { addressOf, useView } from "../view.ts";
import { type InboxQuery, PAGE_FILTERS, isFiltered, parametersOf, pathOf } from "./query.ts";
import type { TitleOf } from "../../../forms/inbox/titles.ts";
import type { SavedView } from "../../../access/user.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { SubmissionFilter } from "../../../forms/inbox/filters.ts";
import type { SubmissionMark } from "../../../forms/submission-state.ts";

/** Forms that a page offers in a list; the slug of one of more is typed. */
const MAX_OPTIONS = 200;

/** The search and the other filters of a list. */
export function Filters({
  query,
  forms,
  fault,
}: {
  query: InboxQuery;
  forms: readonly FormCounts[];
  fault: Fault | null;
}) {
  const { form, folder, isTable } = query;
  const [search, ...others] = PAGE_FILTERS;
  const isOpen = (fault !== null && fault.field !== search!.parameter) || isFiltered({ ...query, q: "" });
  return (
    <form method="get" action={addressOf(useView(), "/inbox")} class="filters" id="filters" role="search">
      <Hidden values={{ folder: folder === "inbox" ? null : folder, view: isTable ? "table" : null }} />
      <FilterField filter={search!} query={query} fault={fault} />
      {(forms.length > 1 || (form === null && forms.length > 0)) && <FormChooser form={form} forms={forms} />}
      <p class="buttons">
        <Button icon="search">Search</Button>
        {isFiltered(query) && (
          <ButtonLink to={pathOf(query)} query={{ folder: folder === "inbox" ? null : folder }} kind="quiet">
            Clear
          </ButtonLink>
        )}
      </p>
      <details id="more-filters" open={isOpen}>
        <summary>More filters</summary>
        <div class="filters">
          {others.map((filter) => (
            <FilterField filter={filter} query={query} fault={fault} />
          ))}
        </div>
      </details>
    </form>
  );
}

function FilterField({
  filter: { kind, parameter, label, placeholder },
  query,
  fault,
}: {
  filter: (typeof PAGE_FILTERS)[number];
  query: InboxQuery;
  fault: Fault | null;
}) {
  const text = query[parameter];
  if (kind === "switch")
    return (
      <div class="check">
        <input type="checkbox" id={parameter} name={parameter} value="1" checked={text !== ""} />
        <label for={parameter}>{label}</label>
      </div>
    );
  return (
    <TextField
      type={({ text: "search", time: "date", matches: "text" } as const)[kind]}
      name={parameter}
      label={label}
      value={kind === "time" ? text.slice(0, 10) : text}
      error={fault?.field === parameter ? fault.message : null}
      placeholder={placeholder}
      shortcut={kind === "text" ? "/" : undefined}
    />
  );
}

function FormChooser({ form, forms }: { form: string | null; forms: readonly FormCounts[] }) {
  if (forms.length > MAX_OPTIONS)
    return <TextField name="form" label="Form" value={shownName(form)} placeholder="Slug of a form" />;
  const options = forms.map(formOf).map((name) => ({ value: name, label: name }));
  const projects = [...new Set(forms.map(({ project }) => project))];
  const ofProjects =
    projects.length < 2
      ? []
      : projects.toSorted().map((project) => ({ value: `${project}:`, label: `All of ${project}` }));
  return (
    <SelectField
      name="form"
      label="Form"
      value={chosenIn(form).project === null ? (shownName(form) ?? "") : form!}
      options={[{ value: "", label: "All forms" }, ...ofProjects, ...options]}
    />
  );
}

/** Actions on the selected rows. */
export function BulkBar({ listing: { query, next, counts } }: { listing: Listing }) {
  const total = sumOf(counts, query.form, query.folder);
  return (
    <div class="bulk">
      <label class="all scripted-only">
        <input type="checkbox" data-all="submission" />
        Select all on this page
      </label>
      <div class="ticked">
        <MarkButtons folder={query.folder} hasKeys />
      </div>
      {(next !== null || query.before !== null) && (
        <A to={MATCHING} query={{ ...parametersOf({ ...query, before: null }), form: query.form }}>
          {isFiltered(query) ? "All that match…" : `All ${total.toLocaleString("en")} that match…`}
        </A>
      )}
    </div>
  );
}

/** Downloads of what the list of a form shows. */
export function ExportLinks({ query }: { query: InboxQuery }) {
  const shown = { ...parametersOf({ ...query, before: null }), folder: query.folder };
  return (
    <>
      {["csv", "jsonl", "zip"].map((format) => (
        <>
          <A to={`${pathOf(query)}/export`} query={{ ...shown, format }}>
            {format.toUpperCase()}
          </A>{" "}
        </>
      ))}
    </>
  );
}

/** Path of actions on everything that a filter selects. It cannot be a form's: slugs do not begin with a dash. */
export const MATCHING = "/inbox/-/matching";

/** Display names of the folders. */
export const FOLDER_NAMES = { inbox: "Inbox", spam: "Spam", archived: "Archive" } as const;

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
  fault: Fault | null;
  /** The submissions whose choices a table counts, and the schema of its form; null for a list. */
  table: { schema: object | null; counted: readonly Submission[] } | null;
  /** The saved views of the user. */
  views: readonly SavedView[];
};

/** Error of typed input, with its field. */
export type Fault = { field: string; message: string };

type Count = "inbox" | "unread" | "spam" | "archived";

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
};

/** A button for each mark that submissions of a folder can get, and one that deletes them. */
export function MarkButtons({
  folder,
  hasKeys = false,
}: {
  folder: InboxQuery["folder"];
  /** Whether single keys press them, as on the page of a submission. */
  hasKeys?: boolean;
}) {
  const keyOf = (key: string | undefined) => (hasKeys ? key : undefined);
  return (
    <p class="buttons">
      {marksOf(folder).map(([mark, label, key]) => (
        <Button name="mark" value={mark} shortcut={keyOf(key)}>
          {label}
        </Button>
      ))}
      <Button name="mark" value="delete" kind="danger" shortcut={keyOf("#")}>
        Delete
      </Button>
    </p>
  );
}

/** Actions that a folder offers, except deletion. */
function marksOf(folder: InboxQuery["folder"]): readonly MarkButton[] {
  return [["read", "Mark as read"], ["unread", "Mark as unread", "u"], ...MOVES[folder]];
}
