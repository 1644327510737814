import { DEFAULT_PROJECT, shortName } from "../../../access/place.ts";
import type { Form } from "../../../forms/form.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Page } from "../page.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { A, Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Card, Empty } from "../parts/card.tsx";
import { Pager, SEARCHED, Search } from "../parts/list.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { useMayWriteForms } from "../view.ts";
import { type Typed, typedAt } from "../parts/submit.ts";
import { formPath, inboxPath } from "../paths.ts";
import { ProjectLink } from "../parts/link.tsx";

type Row = { form: Form; counts: FormCounts | undefined };

/** Forms on one page. */
const PAGE = 50;

export type FormQuery = { search: string; after: string | null };

/** The forms by their names, those of a project together; `after` is the name of the one before the page. */
export function formsPage(
  forms: readonly Form[],
  counts: readonly FormCounts[],
  { search, after }: FormQuery,
): Page {
  const byKey = new Map(counts.map((each) => [each.formKey, each]));
  const words = search.toLowerCase();
  const found = forms
    .map((form) => ({ form, counts: byKey.get(form.key), place: `${form.project}:${form.slug}` }))
    .filter(({ form, place }) => `${place} ${form.name}`.toLowerCase().includes(words))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
  const behind = after === null ? found : found.filter(({ place }) => place > after);
  const rows = behind.slice(0, PAGE);
  const next = behind.length > PAGE && { after: rows.at(-1)!.place };
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
          {rows.length === 0 ? <Empty title="No form has such a name" /> : <FormTables rows={rows} />}
          <Pager to="/forms" query={{ q: search }} isLater={after !== null} next={next} />
        </div>
      ),
  };
}

function CreateLink() {
  if (!useMayWriteForms(null)) return null;
  return (
    <ButtonLink to="/forms/new" kind="primary" icon="plus" shortcut="c">
      Create a form
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
function FormTables({ rows }: { rows: readonly Row[] }) {
  const projects = [...Map.groupBy(rows, ({ form }) => form.project)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  if (projects.length < 2) return <FormTable rows={rows} />;
  return (
    <div class="stack">
      {projects.map(([project, own]) => (
        <Card id={`forms-of-${project}`} title={<ProjectLink project={project} />}>
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
              <A to={formPath(shortName({ project, slug }))}>{slug}</A>{" "}
              {name !== slug && (
                <span class="soft cut" title={visible(name)}>
                  <Foreign text={name} />
                </span>
              )}
            </>
          ),
        },
        {
          label: "State",
          cell: ({ form: { enabled } }) =>
            enabled ? <Badge tone="good">open</Badge> : <Badge tone="warn">closed</Badge>,
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

/** A form to create one, with what was typed before and what was wrong with it. */
export function newFormPage(projects: readonly string[], typed: Typed | null = null): Page {
  const other = Object.entries(typed?.faults ?? {}).find(
    ([field]) => !["slug", "name", "project"].includes(field),
  );
  return {
    title: "New form",
    section: "forms",
    back: { to: "/forms", label: "Forms" },
    commands: [["The same", "forms create contact --name 'Contact us' --uploads on"]],
    content: (
      <PostForm to="/forms/new" class="stack narrow card" id="new-form">
        {other && (
          <Notice tone="bad">
            <p>{other[1]}</p>
          </Notice>
        )}
        <TextField
          {...typedAt(typed, "slug")}
          label="Slug"
          hint="Letters, digits, dots and dashes, such as contact"
          autofocus
          required
        />
        <TextField {...typedAt(typed, "name")} label="Name" hint="For people; empty for the slug" />
        {projects.length > 1 && (
          <SelectField
            {...typedAt(typed, "project", projects.includes(DEFAULT_PROJECT) ? DEFAULT_PROJECT : "")}
            label="Project"
            options={projects.map((each) => ({ value: each, label: each }))}
          />
        )}
        <CheckField name="uploads" label="Accept files" checked={typedAt(typed, "uploads").value === "on"} />
        <div class="buttons">
          <Button kind="primary">Create the form</Button>
        </div>
      </PostForm>
    ),
  };
}
