import { chosenIn, namedShort, shownName } from "../forms/form-words.ts";
import { parseFormName } from "../../../forms/form-name.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Command } from "../parts/commands.tsx";
import type { Page } from "../page.tsx";
import { A, ButtonLink, Form, Tabs } from "../parts/link.tsx";
import { BY_AGE, Pager } from "../parts/list.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { useMayWriteForms } from "../view.ts";
import { FOLDER_NAMES, type Listing, sumOf, BulkBar, ExportLinks, Filters } from "./controls.tsx";
import { type InboxQuery, commandOptions, isFiltered, parametersOf, pathOf, valuesOf } from "./query.ts";
import { SubmissionTable } from "./table.tsx";
import { Views } from "./views.tsx";
import { Rows, besideOf } from "../submissions/rows.tsx";
import { KEYS, formPath } from "../paths.ts";

/** The list of a folder, of one form or of all. */
export function listPage(listing: Listing): Page {
  const { query, counts, fault } = listing;
  const { folder } = query;
  const form = shownName(query.form);
  const name = FOLDER_NAMES[folder];
  const unread = sumOf(counts, query.form, "unread");
  return {
    title: form === null ? name : `${name}, ${form}`,
    heading: (
      <>
        {name}
        {form !== null && <span class="soft">{form}</span>}
        {folder === "inbox" && unread > 0 && <Badge tone="info">{unread.toLocaleString("en")} unread</Badge>}
      </>
    ),
    section: "inbox",
    status: fault ? 400 : 200,
    topics: ["submissions"],
    actions: <Actions query={query} />,
    commands: commandsOf(listing),
    content: (
      <div class="stack">
        <Folders query={query} counts={counts} />
        <Filters query={query} forms={counts} fault={fault} />
        {!fault && <Views query={query} views={listing.views} />}
        <List listing={listing} />
      </div>
    ),
  };
}

function Folders({ query, counts }: { query: InboxQuery; counts: readonly FormCounts[] }) {
  const tabs = (["inbox", "spam", "archived"] as const).map((folder) => ({
    to: pathOf(query),
    query: parametersOf({ ...query, folder, before: null }),
    label: (
      <>
        {FOLDER_NAMES[folder]}
        <span class="count">{sumOf(counts, query.form, folder).toLocaleString("en")}</span>
      </>
    ),
    isCurrent: folder === query.folder,
  }));
  return <Tabs label="Folders" tabs={tabs} />;
}

/** The way to a new form; for one form its other view, and downloads. */
function Actions({ query }: { query: InboxQuery }) {
  const { isTable } = query;
  const mayWrite = useMayWriteForms(null);
  return (
    <>
      {chosenIn(query.form).form !== null && (
        <>
          <ButtonLink to={pathOf(query)} query={parametersOf({ ...query, isTable: !isTable, before: null })}>
            {isTable ? "List" : "Table"}
          </ButtonLink>
          <p class="exports small">
            Export <ExportLinks query={query} />
          </p>
        </>
      )}
      {mayWrite && (
        <ButtonLink to="/forms/new" kind="quiet" icon="plus" shortcut="c">
          New form
        </ButtonLink>
      )}
    </>
  );
}

function List({ listing }: { listing: Listing }) {
  const { query, submissions, titleOf, next, indexing, fault } = listing;
  const mayWrite = useMayWriteForms(projectOf(listing));
  if (fault) return null;
  const rows = listing.table ? (
    <SubmissionTable {...listing.table} submissions={submissions} titleOf={titleOf} query={besideOf(query)} />
  ) : (
    <Rows
      submissions={submissions}
      titleOf={titleOf}
      query={besideOf(query)}
      hasForms={chosenIn(query.form).form === null}
      isSelectable={mayWrite}
    />
  );
  return (
    <>
      {indexing > 0 && (
        <Notice>
          <p>Up to {indexing.toLocaleString("en")} new submissions are not searched yet.</p>
        </Notice>
      )}
      {submissions.length === 0 ? (
        <NothingHere query={query} next={next} hasForms={listing.counts.length > 0} />
      ) : listing.table !== null ? (
        rows
      ) : (
        <div class="split reader">
          {mayWrite ? (
            <Form to="/inbox/marks" id="bulk" values={valuesOf(query)}>
              <BulkBar listing={listing} />
              {rows}
            </Form>
          ) : (
            rows
          )}
          <NothingOpen />
        </div>
      )}
      <Pager
        to={pathOf(query)}
        query={parametersOf({ ...query, before: null })}
        isLater={query.before !== null}
        next={next !== null && { before: next }}
        words={BY_AGE}
        icons={{ next: "arrowRight" }}
      />
    </>
  );
}

/** The pane of a list of which no submission is open. */
function NothingOpen() {
  return (
    <section class="pane" aria-label="Open submission">
      <Empty title="No submission is open">
        <p class="soft scripted-only">
          <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>↵</kbd> opens, <kbd>x</kbd> ticks;{" "}
          <A to={KEYS}>all keys</A>
        </p>
      </Empty>
    </section>
  );
}

/** The project of the forms that a list shows; null for those of several. */
function projectOf({ query: { form }, counts }: Listing): string | null {
  if (form === null) return null;
  const { project, slugOrKey } = parseFormName(form);
  const isIt = (each: FormCounts) => each.form === slugOrKey || each.formKey === slugOrKey;
  return project ?? counts.find(isIt)?.project ?? null;
}

function NothingHere({
  query,
  next,
  hasForms,
}: {
  query: InboxQuery;
  next: string | null;
  hasForms: boolean;
}) {
  const mayWrite = useMayWriteForms(null);
  if (!hasForms)
    return (
      <Empty title="There are no forms yet">
        <p class="soft">What people send to a form arrives here.</p>
        {mayWrite && (
          <ButtonLink to="/forms/new" kind="primary" icon="plus">
            Create a form
          </ButtonLink>
        )}
      </Empty>
    );
  if (next !== null)
    return (
      <Empty title="Nothing matches so far">
        <p class="soft">Only some of the submissions were searched. “Older” searches on.</p>
      </Empty>
    );
  if (isFiltered(query))
    return (
      <Empty title="Nothing matches">
        <ButtonLink to={pathOf(query)} query={{ folder: query.folder }}>
          Clear the filters
        </ButtonLink>
      </Empty>
    );
  if (query.folder !== "inbox") return <Empty title={`${FOLDER_NAMES[query.folder]} is empty`} />;
  return (
    <Empty title="The inbox is empty">
      {query.form !== null && chosenIn(query.form).form !== null && (
        <p class="soft">
          <A to={formPath(query.form)}>The page of the form</A> has its address and code that sends to it.
        </p>
      )}
    </Empty>
  );
}

function commandsOf({ query: { form, folder }, filter }: Listing): Command[] {
  const options = commandOptions(filter ?? { states: [folder] });
  const { form: slug, p } = namedShort(form);
  const named = slug === null ? [{ p, ...options }] : [slug, { p, ...options }];
  const list: Command = ["List them", "submissions list", ...named];
  const mark: Command = [
    "Mark all of them",
    "submissions mark",
    { matching: true, form: slug, p },
    options,
    "read",
  ];
  if (slug === null) return [list, mark];
  const file = { format: "csv", o: `${slug}.csv` };
  return [list, ["Export them", "submissions export", ...named, file], mark];
}
