import { SelectField, TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Hidden } from "../parts/link.tsx";
import { Chips } from "../parts/seg.tsx";
import { Foreign } from "../parts/text.tsx";
import { chosenIn, formOf, shownName } from "../forms/form-words.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Child } from "../markup.ts";
import { addressOf, useView } from "../view.ts";
import { type Fault, type Listing, sumOf } from "./controls.tsx";
import {
  type InboxQuery,
  PAGE_FILTERS,
  addressIn,
  isFiltered,
  parametersOf,
  pathOf,
  readQuery,
} from "./query.ts";
import { Views, linkOf } from "./views.tsx";

/** Forms that a page offers in a list; the slug of one of more is typed. */
const MAX_OPTIONS = 200;

/** Forms that have a chip of their own; more are in the filters. */
const MAX_CHIPS = 6;

/** The folders, filters and forms of a list as links, its search, and what is seldom asked for. */
export function Toolbar({
  query,
  counts,
  mine,
  views,
  fault = null,
}: Pick<Listing, "query" | "counts" | "mine" | "views"> & { fault?: Fault | null }) {
  const { form, folder, q } = query;
  const { parameter } = PAGE_FILTERS[0]!;
  const isWrong = fault?.field === parameter;
  const isOpen = (fault !== null && !isWrong) || hasMoreFilters(query);
  return (
    <div class="toolbar">
      <ListChips query={query} counts={counts} mine={mine} views={views} />
      <div class="searchbox end">
        <Button form="filters" kind="quiet" icon="search" label="Search" />
        <input
          type="search"
          name={parameter}
          id={parameter}
          form="filters"
          aria-label="Search"
          value={q}
          placeholder="Search"
          aria-keyshortcuts="/"
          autocomplete="off"
          aria-invalid={isWrong ? "true" : undefined}
          aria-describedby={isWrong ? "q-error" : undefined}
        />
        {isWrong && (
          <p class="error" id="q-error">
            {fault.message}
          </p>
        )}
      </div>
      <details id="more-filters" open={isOpen}>
        <summary>More filters</summary>
        <form method="get" action={addressOf(useView(), "/inbox")} class="filters" id="filters" role="search">
          <Hidden
            values={{ folder: folder === "inbox" ? null : folder, view: query.isTable ? "table" : null }}
          />
          {(counts.length > 1 || (form === null && counts.length > 0)) && (
            <FormChooser form={form} forms={counts} />
          )}
          {PAGE_FILTERS.slice(1).map((filter) => (
            <FilterField filter={filter} query={query} fault={fault} />
          ))}
          <p class="buttons">
            <Button>Filter</Button>
            {isFiltered(query) && (
              <ButtonLink
                to={pathOf(query)}
                query={{ folder: folder === "inbox" ? null : folder }}
                kind="quiet"
              >
                Clear
              </ButtonLink>
            )}
          </p>
        </form>
        {fault === null && <Views query={query} views={views} />}
      </details>
    </div>
  );
}

/** Whether a list has a filter that no chip stands for. */
function hasMoreFilters(query: InboxQuery): boolean {
  return isFiltered({ ...query, q: "", unread: "" });
}

/** The search for submissions of the caller. */
const MINE = "is:mine";

function ListChips({ query, counts, mine, views }: Pick<Listing, "query" | "counts" | "mine" | "views">) {
  const { form } = query;
  const plain = readQuery(() => undefined, form);
  const here = addressIn({ ...query, isTable: false, before: null });
  const chip = (label: Child, to: InboxQuery, count: number | null = null) => ({
    label,
    count: count === 0 ? null : count,
    to: pathOf(to),
    query: parametersOf({ ...to, isTable: query.isTable && to.form === form }),
    isCurrent: addressIn(to) === here,
  });
  const some = counts.length > 1 && counts.length <= MAX_CHIPS ? counts : [];
  const names = new Set(some.map(({ name }) => name));
  return (
    <Chips
      label="Folders"
      chips={[
        chip("Inbox", form === null || some.length > 0 ? { ...plain, form: null } : plain),
        chip("Unread", { ...plain, unread: "1" }, sumOf(counts, form, "unread")),
        chip("Yours", { ...plain, q: MINE }, form === null ? mine : null),
        ...some.map((each) =>
          chip(<Foreign text={names.size === some.length ? each.name : formOf(each)} />, {
            ...plain,
            form: formOf(each),
          }),
        ),
        chip("Archive", { ...plain, folder: "archived" }),
        chip("Spam", { ...plain, folder: "spam" }, sumOf(counts, form, "spam")),
        ...(query.folder === "unconfirmed" || sumOf(counts, null, "unconfirmed") > 0
          ? [chip("Unconfirmed", { ...plain, folder: "unconfirmed" }, sumOf(counts, form, "unconfirmed"))]
          : []),
        ...views.map(({ name, to }) => ({
          label: <Foreign text={name} />,
          ...linkOf(to),
          isCurrent: to === here,
        })),
      ]}
    />
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
      type={kind === "time" ? "date" : "text"}
      name={parameter}
      label={label}
      value={kind === "time" ? text.slice(0, 10) : text}
      error={fault?.field === parameter ? fault.message : null}
      placeholder={placeholder}
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
