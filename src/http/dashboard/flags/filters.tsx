import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { isoTime } from "../../../base/clock.ts";
import { own } from "../../../base/shapes/own.ts";
import { FLAG_FILTERS, type FlagFilter, type FlagQuery, selectFlags } from "../../../flags/flag-filters.ts";
import { SelectField, TextField } from "../parts/field.tsx";
import { Hidden } from "../parts/link.tsx";
import { FilterForm } from "../parts/list.tsx";
import { projectPath } from "../paths.ts";

/** The filters of a list, in the order of its page. */
const NAMES = ["state", "tag", "owner", "changed", "stale", "mine"] as const;

/** The parameters that choose the flags of a list; an empty one does not. */
export type Filter = Record<(typeof NAMES)[number], string>;

/** Spans of time, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const SPANS = ["1d", "7d", "30d"];

/** The filter of a page; values that are none are left out. */
export function filterIn(query: (name: string) => string): Filter {
  const given = NAMES.map((name) => {
    const text = query(name).trim().slice(0, 100);
    return [name, isValue(FLAG_FILTERS[name], text) ? text : ""];
  });
  return Object.fromEntries(given) as Filter;
}

function isValue({ kind, choices = [] }: FlagFilter, text: string): boolean {
  if (kind === "choice") return choices.includes(text);
  return kind === "text" || (kind === "switch" ? text === "1" : /^\d{1,4}[hdw]$/.test(text));
}

/** The flags that a filter chooses: archived ones only if they are asked for. */
export function selectionOf(app: App, caller: Caller, project: string, filter: Filter) {
  const since = (span: string) => app.now() - Number.parseInt(span, 10) * own(UNITS, span.at(-1)!)!;
  const given = NAMES.filter((name) => filter[name] !== "").map((name) => {
    const { kind }: FlagFilter = FLAG_FILTERS[name];
    const text = filter[name];
    return [name, kind === "switch" ? "true" : kind === "time" ? isoTime(since(text)) : text];
  });
  const query: FlagQuery = Object.fromEntries(given);
  return selectFlags(app, caller, project, filter.state === "" ? { ...query, archived: "false" } : query);
}

/** The form that filters the list of flags. */
export function FlagFilters({
  project,
  search,
  filter,
}: {
  project: string;
  search: string;
  filter: Filter;
}) {
  return (
    <details open={Object.values(filter).some((value) => value !== "")} id="flag-filters">
      <summary>Filter</summary>
      <FilterForm to={projectPath(project)} label="Filter flags">
        <Hidden values={{ q: search || null }} />
        {NAMES.map((name) => {
          const { kind, choices = [], page }: FlagFilter = FLAG_FILTERS[name];
          const { label, yes = "" } = page;
          const value = filter[name];
          // Another field of the page is called as that of a tag.
          if (kind === "text")
            return <TextField name={name} id={`filter-${name}`} label={label} value={value} />;
          const spans = [...new Set([...SPANS, value])].filter(Boolean);
          const options =
            kind === "switch"
              ? [{ value: "1", label: yes }]
              : (kind === "time" ? spans : choices).map((each) => ({ value: each, label: each }));
          const all = [{ value: "", label: "any" }, ...options];
          return <SelectField name={name} label={label} value={value} options={all} />;
        })}
      </FilterForm>
    </details>
  );
}
