import { own } from "../../../base/shapes/own.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { tagsOf } from "../../../flags/flag-fields.ts";
import type { FlagOverview } from "../../../flags/overviews.ts";
import { DEFAULT_STALE_DAYS, assessFlags } from "../../../flags/stale.ts";
import { Hidden } from "../parts/link.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { FilterForm } from "../parts/list.tsx";
import { projectPath } from "../paths.ts";

const NAMES = ["state", "tag", "owner", "stale", "changed", "mine"] as const;

/** The parameters that choose the flags of a list; an empty one does not. */
export type Filter = Record<(typeof NAMES)[number], string>;

/** Spans of `changed`, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const STATES = ["on", "off", "archived"];

/** The filter of a page; values that are none are left out. */
export function filterIn(query: (name: string) => string): Filter {
  const { state, stale, changed, mine, ...texts } = Object.fromEntries(
    NAMES.map((name) => [name, query(name).trim().slice(0, 100)]),
  ) as Filter;
  return {
    ...texts,
    state: STATES.includes(state) ? state : "",
    stale: stale === "1" ? stale : "",
    changed: /^\d{1,4}[hdw]$/.test(changed) ? changed : "",
    mine: mine === "1" ? mine : "",
  };
}

/** The flags that a filter chooses: archived ones only if they are asked for. */
export async function selectionOf(app: App, caller: Caller, project: string, filter: Filter) {
  const { state, tag, owner, stale, changed, mine } = filter;
  const days = DEFAULT_STALE_DAYS;
  const found = stale === "" ? null : await assessFlags(app, { project, environment: null, days });
  const slugs = found && new Set(found.map(({ slug }) => slug));
  const accepts = (flag: Omit<FlagOverview, "environments">) =>
    flag.archived === (state === "archived") &&
    (tag === "" || tagsOf(flag.tags).includes(tag)) &&
    (owner === "" || flag.owner === owner) &&
    (mine === "" || flag.owner === caller.name) &&
    (slugs === null || slugs.has(flag.slug));
  if (state !== "on" && state !== "off" && changed === "") return { accepts };
  const since = changed === "" ? 0 : app.now() - Number.parseInt(changed, 10) * own(UNITS, changed.at(-1)!)!;
  const shows = ({ environments }: FlagOverview) => {
    const isOn = environments.some(({ enabled, expired }) => enabled && !expired);
    return (
      (state === "" || state === "archived" || isOn === (state === "on")) &&
      environments.some(({ updatedAt }) => updatedAt >= since)
    );
  };
  return { accepts, shows };
}

const any = { value: "", label: "any" };

/** The form that filters the list of flags. */
export function FlagFilters({
  project,
  search,
  filter: { state, tag, owner, stale, changed, mine },
}: {
  project: string;
  search: string;
  filter: Filter;
}) {
  const isSet = [state, tag, owner, stale, changed, mine].some((value) => value !== "");
  const known = ["", "1d", "7d", "30d"];
  return (
    <details open={isSet} id="flag-filters">
      <summary>Filter</summary>
      <FilterForm to={projectPath(project)} label="Filter flags">
        <Hidden values={{ q: search || null }} />
        <SelectField
          name="state"
          label="State"
          value={state}
          options={[any, ...STATES.map((value) => ({ value, label: value }))]}
        />
        <TextField name="tag" id="filter-tag" label="Marked" value={tag} />
        <TextField name="owner" label="Owner" value={owner} />
        <SelectField
          name="changed"
          label="Changed since"
          value={changed}
          options={[
            any,
            ...[...new Set([...known, changed])].filter(Boolean).map((value) => ({ value, label: value })),
          ]}
        />
        <SelectField
          name="stale"
          label="Stale"
          value={stale}
          options={[any, { value: "1", label: "stale only" }]}
        />
        <SelectField
          name="mine"
          label="Of whom"
          value={mine}
          options={[any, { value: "1", label: "mine" }]}
        />
      </FilterForm>
    </details>
  );
}
