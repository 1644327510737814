import type { Page } from "../../../base/pages.ts";
import type { PROJECT_KINDS } from "../../../access/history-entry.ts";
import type { Revision, RevisionQuery } from "../../../projects/history.ts";
import type { Child } from "../markup.ts";
import { Empty } from "../parts/card.tsx";
import { Icon } from "../parts/icon.tsx";
import { ButtonLink, Hidden } from "../parts/link.tsx";
import { BY_AGE, List } from "../parts/list.tsx";
import { Chips } from "../parts/seg.tsx";
import { visible } from "../parts/text.tsx";
import { addressOf, useView } from "../view.ts";

/** The filter of a list of changes. */
export type Filter = Omit<RevisionQuery, "limit" | "kind"> & {
  kind?: (typeof PROJECT_KINDS)[number] | undefined;
};

/** The changes that a filter finds, newest first. */
export function Changes({
  to,
  filter: { before, ...chosen },
  page: { items, more },
  card,
  environments = [],
  hasKinds = false,
}: {
  to: string;
  filter: Filter;
  page: Page<Revision>;
  card: (entry: Revision) => Child;
  environments?: readonly string[];
  hasKinds?: boolean;
}) {
  const isFiltered = Object.values(chosen).some((value) => value !== undefined);
  const { name, who, kind, environment } = chosen;
  const link = (label: string, query: Filter, isCurrent: boolean) => ({
    to,
    label,
    query: { ...chosen, ...query },
    isCurrent,
  });
  return (
    <List
      filters={
        <div class="toolbar">
          {hasKinds && (
            <form method="get" action={addressOf(useView(), to)} class="searchbox" role="search">
              <Icon name="search" />
              <Hidden values={{ environment, kind, who }} />
              <input
                type="search"
                id="search"
                name="name"
                value={name ?? ""}
                aria-label="Flag or name"
                placeholder="Flag or name"
                aria-keyshortcuts="/"
                maxlength={200}
              />
            </form>
          )}
          {environments.length > 1 && (
            <Chips
              label="Environment"
              chips={[
                link("Everywhere", { environment: undefined }, environment === undefined),
                ...environments.map((each) => link(each, { environment: each }, each === environment)),
              ]}
            />
          )}
          {hasKinds && (
            <Chips
              label="Kind"
              chips={KINDS.map(([value, label]) => link(label, { kind: value }, value === kind))}
            />
          )}
          {who !== undefined && (
            <Chips label="Who" chips={[link(`By ${visible(who)} ×`, { who: undefined }, true)]} />
          )}
        </div>
      }
      empty={
        <Empty title={isFiltered ? "No change matches" : "Nothing has changed yet"}>
          {isFiltered && <ButtonLink to={to}>Show every change</ButtonLink>}
        </Empty>
      }
      rows={items}
      keyOf={({ revision }) => `revision-${revision}`}
      card={card}
      class="whole"
      pages={{
        to,
        query: chosen,
        isLater: before !== undefined,
        next: more && { before: items.at(-1)!.revision },
        words: BY_AGE,
      }}
    />
  );
}

const KINDS: readonly (readonly [Filter["kind"], string])[] = [
  [undefined, "All"],
  ["flag", "Flags"],
  ["segment", "Segments"],
  ["environment", "Environments"],
  ["scheduled", "Failed schedules"],
  ["ramp", "Ramps"],
  ["experiment", "Experiments"],
  ["project", "The project"],
];
