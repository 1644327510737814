import { FLAG_FILTERS, type FlagFilter, type FlagFilterName } from "../../../flags/flag-filters.ts";
import type { Project } from "../../../projects/project.ts";
import { Icon } from "../parts/icon.tsx";
import { A, Hidden } from "../parts/link.tsx";
import { Chips } from "../parts/seg.tsx";
import { visible } from "../parts/text.tsx";
import { COMPARE, pathTo, projectPath } from "../paths.ts";
import { addressOf, useView } from "../view.ts";
import type { Filter } from "./filters.ts";

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
      {project.environments.length > 1 && (
        <A to={pathTo(COMPARE, { project: project.slug })} class="button plain low end only-wide">
          Compare environments
        </A>
      )}
    </div>
  );
}
