import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { isoTime } from "../../../base/clock.ts";
import { own } from "../../../base/shapes/own.ts";
import {
  FLAG_FILTERS,
  type FlagFilter,
  type FlagFilterName,
  type FlagQuery,
  selectFlags,
} from "../../../flags/flag-filters.ts";
import type { Project } from "../../../projects/project.ts";
import { Icon } from "../parts/icon.tsx";
import { A, Hidden } from "../parts/link.tsx";
import { Chips } from "../parts/seg.tsx";
import { visible } from "../parts/text.tsx";
import { COMPARE, DONE, pathTo, projectPath } from "../paths.ts";
import { addressOf, useView } from "../view.ts";
import type { LaneFlag } from "./lanes.ts";

/** `Tag: checkout`, `Ready to remove`. */
function filterInWords(name: keyof Filter, value: string): string {
  const { label = name }: Partial<FlagFilter> =
    name in FLAG_FILTERS ? FLAG_FILTERS[name as FlagFilterName] : {};
  return value === "1" ? label : `${label}: ${visible(value)}`;
}

/** The search and the filters, as links with what each shows. */
export function Toolbar({
  project,
  search,
  filter,
  counts,
}: {
  project: Project;
  search: string;
  filter: Filter;
  counts: Readonly<Record<"all" | "mine" | "differs" | "unread" | "archived", number>>;
}) {
  const path = projectPath(project.slug);
  const q = search || null;
  const chosen = Object.entries(filter).filter(([, value]) => value !== "");
  const chip = (label: string, count: number | null, query: Readonly<Record<string, string>>) => ({
    label,
    count,
    to: path,
    query: { q, ...query },
    isCurrent: Bun.deepEquals(Object.fromEntries(chosen), query),
  });
  const chips = [
    chip("All", counts.all, {}),
    chip("Yours", counts.mine, { mine: "1" }),
    ...(project.environments.length > 1 ? [chip("Differs", counts.differs, { differs: "1" })] : []),
    chip("Not read", counts.unread, { unread: "1" }),
    chip("Archived", counts.archived || null, { state: "archived" }),
  ];
  // A filter of an address without a link of its own.
  const own = chosen.map(([name, value]) => filterInWords(name as keyof Filter, value)).join(", ");
  const isOwn = !chips.some(({ isCurrent }) => isCurrent);
  return (
    <div class="toolbar">
      <form method="get" action={addressOf(useView(), path)} class="searchbox" role="search">
        <Icon name="search" />
        <Hidden values={chosen} />
        <input
          type="search"
          id="search"
          name="q"
          value={search}
          aria-label="Search flags"
          placeholder="Name, tag, owner"
          aria-keyshortcuts="/"
          maxlength={200}
        />
      </form>
      <Chips
        label="Which flags"
        chips={isOwn ? [...chips, { label: own, to: path, query: { q, ...filter }, isCurrent: true }] : chips}
      />
      <A to={pathTo(DONE, { project: project.slug })} class="button plain low end">
        Flags that are done
      </A>
      {project.environments.length > 1 && (
        <A to={pathTo(COMPARE, { project: project.slug })} class="button plain low end only-wide">
          Compare environments
        </A>
      )}
    </div>
  );
}

/** The filters of a list that all faces have. */
const NAMES = ["state", "tag", "owner", "changed", "stale", "mine"] as const;

/** The parameters that choose the flags of a list, with those of the page alone; an empty one does not. */
export type Filter = Record<(typeof NAMES)[number] | "differs" | "unread", string>;

/** Spans of time, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The filter of a page; values that are none are left out. */
export function filterIn(query: (name: string) => string): Filter {
  const given = NAMES.map((name) => {
    const text = query(name).trim().slice(0, 100);
    return [name, isValue(FLAG_FILTERS[name], text) ? text : ""];
  });
  const own = (["differs", "unread"] as const).map((name) => [name, query(name) === "1" ? "1" : ""]);
  return Object.fromEntries([...given, ...own]) as Filter;
}

function isValue({ kind, choices = [] }: FlagFilter, text: string): boolean {
  if (kind === "choice") return choices.includes(text);
  return kind === "text" || (kind === "switch" ? text === "1" : /^\d{1,4}[hdw]$/.test(text));
}

/** The flags that a filter and a search choose: archived ones only if they are asked for. */
export async function chosenFlags(
  app: App,
  caller: Caller,
  project: string,
  flags: readonly LaneFlag[],
  { search, filter }: { search: string; filter: Filter },
): Promise<LaneFlag[]> {
  const since = (span: string) => app.now() - Number.parseInt(span, 10) * own(UNITS, span.at(-1)!)!;
  const given = NAMES.filter((name) => filter[name] !== "").map((name) => {
    const { kind }: FlagFilter = FLAG_FILTERS[name];
    const text = filter[name];
    return [name, kind === "switch" ? "true" : kind === "time" ? isoTime(since(text)) : text];
  });
  const archived = filter.state === "" ? { archived: "false" } : {};
  const query: FlagQuery = { ...Object.fromEntries(given), ...archived, ...(search !== "" && { search }) };
  const { accepts, shows } = await selectFlags(app, caller, project, query);
  return flags.filter(
    (flag) =>
      accepts(flag) &&
      (shows?.(flag.environments) ?? true) &&
      (filter.differs === "" || flag.differs) &&
      (filter.unread === "" || flag.isUnread),
  );
}
