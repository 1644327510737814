import { chosenIn, formOf, namedShort, shownName } from "../forms/form-words.ts";
import { parseFormName } from "../../../forms/form-name.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Command } from "../parts/commands.tsx";
import type { Page } from "../page.tsx";
import { A, ButtonLink, Form } from "../parts/link.tsx";
import { BY_AGE, Pager } from "../parts/list.tsx";
import { Notice } from "../parts/status.tsx";
import { Menu } from "../parts/fold.tsx";
import { Empty } from "../parts/card.tsx";
import { useMayWriteForms } from "../view.ts";
import { BulkBar, EXPORTS, FOLDER_NAMES, exportOf, type Listing, sumOf } from "./controls.tsx";
import { Toolbar } from "./toolbar.tsx";
import { OLDEST } from "./oldest.ts";
import { PreviewPane } from "./preview-pane.tsx";
import { type InboxQuery, commandOptions, isFiltered, parametersOf, pathOf, valuesOf } from "./query.ts";
import { SubmissionTable } from "./table.tsx";
import { Rows, besideOf } from "../submissions/rows.tsx";
import { formPath } from "../paths.ts";

/** The list of a folder, of one form or of all. */
export function listPage(listing: Listing): Page {
  const { query, counts, fault } = listing;
  const { folder } = query;
  const form = shownName(query.form);
  const name = FOLDER_NAMES[folder];
  const called = counts.find((each) => formOf(each) === form)?.name ?? form;
  const unread = sumOf(counts, query.form, "unread");
  return {
    title: form === null ? name : `${name}, ${form}`,
    heading: (
      <>
        {name}
        {form !== null && <span class="soft">{called}</span>}
      </>
    ),
    section: "inbox",
    status: fault ? 400 : 200,
    topics: ["submissions"],
    actions: <Actions query={query} unread={unread} />,
    commands: commandsOf(listing),
    content: (
      <div class="stack">
        <Toolbar {...listing} />
        <List listing={listing} />
      </div>
    ),
  };
}

/** The way to the oldest unread submission, for one form its other view and downloads, and the way to a new form. */
function Actions({ query, unread }: { query: InboxQuery; unread: number }) {
  const { isTable, form } = query;
  const mayWrite = useMayWriteForms(null);
  const isOfForm = chosenIn(form).form !== null;
  return (
    <>
      {unread > 0 && (
        <ButtonLink to={OLDEST} query={{ form }} kind="quiet" shortcut="o">
          Oldest unread
        </ButtonLink>
      )}
      {isOfForm && (
        <ButtonLink to={pathOf(query)} query={parametersOf({ ...query, isTable: !isTable, before: null })}>
          {isTable ? "List" : "Table"}
        </ButtonLink>
      )}
      {(isOfForm || mayWrite) && (
        <Menu label="More actions">
          {isOfForm &&
            EXPORTS.map((format) => (
              <li>
                <A {...exportOf(query, format)}>Export {format.toUpperCase()}</A>
              </li>
            ))}
          {mayWrite && (
            <li>
              <A to="/forms/new" shortcut="c">
                New form
              </A>
            </li>
          )}
        </Menu>
      )}
    </>
  );
}

function List({ listing }: { listing: Listing }) {
  const { query, submissions, titleOf, next, indexing, fault, preview } = listing;
  const mayWrite = useMayWriteForms(projectOf(listing));
  if (fault) return null;
  return (
    <>
      {indexing > 0 && (
        <Notice>
          <p>Up to {indexing.toLocaleString("en")} new submissions are not searched yet.</p>
        </Notice>
      )}
      {submissions.length === 0 ? (
        <NothingHere query={query} next={next} hasForms={listing.counts.length > 0} />
      ) : listing.table ? (
        <SubmissionTable
          {...listing.table}
          submissions={submissions}
          titleOf={titleOf}
          query={besideOf(query)}
        />
      ) : (
        <div class="split reader">
          <TickedRows
            query={query}
            values={valuesOf(query)}
            total={
              listing.next !== null || query.before !== null
                ? sumOf(listing.counts, query.form, query.folder)
                : null
            }
            mayWrite={mayWrite}
            rows={{ submissions, titleOf, current: preview?.submission.id }}
          />
          {preview && <PreviewPane preview={preview} titleOf={titleOf} query={query} />}
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

/** The rows of a list with what is done with the ticked ones. */
export function TickedRows({
  query,
  values,
  total,
  mayWrite,
  rows,
}: {
  query: InboxQuery;
  values: Readonly<Record<string, string | null>>;
  total: number | null;
  mayWrite: boolean;
  rows: Pick<Parameters<typeof Rows>[0], "submissions" | "titleOf" | "current">;
}) {
  const hasForms = chosenIn(query.form).form === null;
  const list = <Rows {...rows} query={besideOf(query)} hasForms={hasForms} isSelectable={mayWrite} />;
  if (!mayWrite) return list;
  return (
    <Form to="/inbox/marks" id="bulk" values={values}>
      {list}
      <BulkBar query={query} total={total} />
    </Form>
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
            New form
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
