import { DEFAULT_PROJECT, shortName } from "../../../access/place.ts";
import type { Form } from "../../../forms/form.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Page } from "../page.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { A, Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Card, Empty } from "../parts/card.tsx";
import { Chips } from "../parts/seg.tsx";
import { openingOf } from "../../../forms/intake/opening.ts";
import { Pager, SEARCHED, Search } from "../parts/list.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { useMayWriteForms } from "../view.ts";
import { type Typed, typedAt } from "../parts/submit.ts";
import { formPath, inboxPath } from "../paths.ts";
import { namedForm } from "./form-words.ts";
import { ProjectLink } from "../parts/link.tsx";

type Row = { form: Form; counts: FormCounts | undefined; place: string; isOpen: boolean };

/** Forms on one page. */
const PAGE = 50;

/** Forms that a list shows. */
const STATES = { all: "All", unread: "Unread", open: "Open", closed: "Closed" } as const;

type State = keyof typeof STATES;

export type FormQuery = { search: string; state: string; project: string | null; after: string | null };

/** Projects that have a filter each; of more, the search finds one. */
const MAX_PROJECTS = 12;

/** The forms by their names, those of a project together; `after` is the name of the one before the page. */
export function formsPage(
  forms: readonly Form[],
  counts: readonly FormCounts[],
  { now, nameOf }: { now: number; nameOf: (project: string) => string },
  query: FormQuery,
): Page {
  const { search, project, after } = query;
  const state = Object.hasOwn(STATES, query.state) ? (query.state as State) : "all";
  const byKey = new Map(counts.map((each) => [each.formKey, each]));
  const words = search.toLowerCase();
  const searched = forms
    .map((form): Row => {
      const place = `${form.project}:${form.slug}`;
      const isOpen = form.enabled && openingOf(form, now) === "open";
      return { form, counts: byKey.get(form.key), place, isOpen };
    })
    .filter(({ form, place }) =>
      `${place} ${form.name} ${nameOf(form.project)}`.toLowerCase().includes(words),
    );
  const isOf = (only: string | null) => (row: Row) => only === null || row.form.project === only;
  const isIn: Record<State, (row: Row) => boolean> = {
    all: () => true,
    unread: ({ counts: own }) => (own?.unread ?? 0) > 0,
    open: ({ isOpen }) => isOpen,
    closed: ({ isOpen }) => !isOpen,
  };
  const found = searched
    .filter(isOf(project))
    .filter(isIn[state])
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
  const behind = after === null ? found : found.filter(({ place }) => place > after);
  const rows = behind.slice(0, PAGE);
  const next = behind.length > PAGE && { after: rows.at(-1)!.place };
  const projects = [...new Set(forms.map((form) => form.project))].toSorted();
  const chosen = { q: search || null, project, state: state === "all" ? null : state };
  const link = (changed: Partial<typeof chosen>) => ({ to: "/forms", query: { ...chosen, ...changed } });
  return {
    title: "Forms",
    section: "forms",
    topics: ["submissions", "setup"],
    actions: forms.length > 0 && <CreateLink />,
    commands: [
      ["List forms", "forms list"],
      ["Create one", "forms create contact"],
    ],
    content:
      forms.length === 0 ? (
        <NoForms />
      ) : (
        <div class="stack">
          {forms.length >= SEARCHED && (
            <Search to="/forms" search={search} label="Search forms" placeholder="Name or project" />
          )}
          <Chips
            label="State"
            chips={(Object.keys(STATES) as State[]).map((each) => ({
              ...link({ state: each === "all" ? null : each }),
              label: STATES[each],
              count: searched.filter(isOf(project)).filter(isIn[each]).length,
              isCurrent: each === state,
            }))}
          />
          {(projects.length > 1 && projects.length <= MAX_PROJECTS) || project !== null ? (
            <Chips
              label="Project"
              chips={[
                null,
                ...projects.filter((each) => projects.length <= MAX_PROJECTS || each === project),
              ].map((each) => ({
                ...link({ project: each }),
                label: each === null ? "All projects" : <Foreign text={nameOf(each)} />,
                count: searched.filter(isOf(each)).length,
                isCurrent: each === project,
              }))}
            />
          ) : null}
          {rows.length === 0 ? (
            <Empty title={search === "" ? "No form is in this list" : "No form has such a name"} />
          ) : (
            <FormTables rows={rows} nameOf={nameOf} />
          )}
          <Pager to="/forms" query={chosen} isLater={after !== null} next={next} />
        </div>
      ),
  };
}

function CreateLink() {
  if (!useMayWriteForms(null)) return null;
  return (
    <ButtonLink to="/forms/new" kind="primary" icon="plus" shortcut="c">
      New form
    </ButtonLink>
  );
}

function NoForms() {
  return (
    <Empty title="There are no forms yet">
      <p class="soft">
        A form has an address that any website can post to. Its submissions come to the inbox.
      </p>
      <CreateLink />
    </Empty>
  );
}

/** A table for each project, if there are several. */
function FormTables({ rows, nameOf }: { rows: readonly Row[]; nameOf: (project: string) => string }) {
  const projects = [...Map.groupBy(rows, ({ form }) => form.project)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  if (projects.length < 2) return <FormTable rows={rows} />;
  return (
    <div class="stack">
      {projects.map(([project, own]) => (
        <Card
          id={`forms-of-${project}`}
          title={<ProjectLink project={project}>{nameOf(project)}</ProjectLink>}
        >
          <FormTable rows={own} project={project} />
        </Card>
      ))}
    </div>
  );
}

function FormTable({ rows, project }: { rows: readonly Row[]; project?: string }) {
  return (
    <Table
      caption={project === undefined ? "Forms" : `Forms of ${project}`}
      rows={rows}
      keyOf={({ form }) => `form-${shortName(form)}`}
      columns={[
        {
          label: "Form",
          heading: true,
          cell: ({ form: { project, slug, name } }) => (
            <>
              <A to={formPath(shortName({ project, slug }))}>
                <Foreign text={name} />
              </A>{" "}
              {name !== slug && <span class="soft small">{slug}</span>}
            </>
          ),
        },
        {
          label: "State",
          cell: ({ isOpen }) =>
            isOpen ? <Badge tone="good">open</Badge> : <Badge tone="warn">closed</Badge>,
        },
        { label: "Unread", numeric: true, cell: ({ counts }) => numberOf(counts?.unread) },
        {
          label: "Inbox",
          numeric: true,
          cell: ({ form: { project, slug }, counts }) => (
            <A
              to={inboxPath(shortName({ project, slug }))}
              label={`${numberOf(counts?.inbox)} in the inbox of ${slug}`}
            >
              {numberOf(counts?.inbox)}
            </A>
          ),
        },
        { label: "Spam", numeric: true, cell: ({ counts }) => numberOf(counts?.spam) },
      ]}
    />
  );
}

function numberOf(count = 0): string {
  return count.toLocaleString("en");
}

/** A form to create one, or a copy of one, with what was typed before and what was wrong with it. */
export function newFormPage(
  projects: readonly string[],
  typed: Typed | null = null,
  copied: Form | null = null,
): Page {
  const other = Object.entries(typed?.faults ?? {}).find(
    ([field]) => !["slug", "name", "project"].includes(field),
  );
  const back = copied === null ? null : formPath(shortName(copied));
  const place = copied?.project ?? (projects.includes(DEFAULT_PROJECT) ? DEFAULT_PROJECT : "");
  return {
    title: copied === null ? "New form" : `Copy form ${copied.slug}`,
    section: "forms",
    back: copied === null ? { to: "/forms", label: "Forms" } : { to: back!, label: copied.slug },
    commands: [
      copied === null
        ? ["The same", "forms create contact --name 'Contact us' --uploads on"]
        : ["The same", "forms copy", namedForm(copied)[0], `${copied.slug}-2`, namedForm(copied)[1]],
    ],
    content: (
      <PostForm to={back === null ? "/forms/new" : `${back}/copy`} class="stack narrow card" id="new-form">
        {other && (
          <Notice tone="bad">
            <p>{other[1]}</p>
          </Notice>
        )}
        {copied !== null && (
          <p>
            It gets the settings and fields of <Foreign text={copied.name} />, and an address of its own. It
            has no submissions, targets and feeds.
          </p>
        )}
        <TextField
          {...typedAt(typed, "slug", copied === null ? "" : `${copied.slug}-2`)}
          label="Slug"
          hint="Letters, digits, dots and dashes, such as contact"
          autofocus
          required
        />
        <TextField
          {...typedAt(typed, "name", copied === null ? "" : `${copied.name} 2`)}
          label="Name"
          hint="For people; empty for the slug"
        />
        {projects.length > 1 && (
          <SelectField
            {...typedAt(typed, "project", place)}
            label="Project"
            options={projects.map((each) => ({ value: each, label: each }))}
          />
        )}
        {copied === null && (
          <CheckField
            name="uploads"
            label="Accept files"
            checked={typedAt(typed, "uploads").value === "on"}
          />
        )}
        <div class="buttons">
          <Button kind="primary">{copied === null ? "Create the form" : "Copy the form"}</Button>
        </div>
      </PostForm>
    ),
  };
}
