import { AppError } from "../../../base/errors.ts";
import type { Page } from "../../../base/pages.ts";
import { blankState, flagState } from "../../../flags/history.ts";
import type { FormRecord } from "../../../forms/form.ts";
import { listFormRevisions } from "../../../forms/form-history.ts";
import { ADMIN_PATH, addressOf } from "../../../operations/operation.ts";
import { history } from "../../../operations/history.ts";
import { PROJECT_KINDS } from "../../../access/history-entry.ts";
import type { Revision, RevisionQuery } from "../../../projects/history.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Project } from "../../../projects/project.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { FormTabs } from "../forms/form-tabs.tsx";
import { crumbsOf, namedShort, projectNameOf } from "../forms/form-words.ts";
import type { Page as Shown } from "../page.tsx";
import type { Command } from "../parts/commands.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { FORM, PROJECT, REVISION, formPath, projectPath } from "../paths.ts";
import { entryOf, revisionOf } from "./rollback.tsx";
import { RevisionCard, type Side, describeRevision } from "./revision-card.tsx";
import { projectPage } from "../project/project-page.tsx";
import type { Child } from "../markup.ts";
import { Empty } from "../parts/card.tsx";
import { Icon } from "../parts/icon.tsx";
import { ButtonLink, Hidden } from "../parts/link.tsx";
import { BY_AGE, List } from "../parts/list.tsx";
import { Chips } from "../parts/seg.tsx";
import { addressOf as addressIn, useView } from "../view.ts";

/** Changes on one page. */
const PAGE = 20;

/** The history of a project, and of a form also after it was deleted. */
export function historyRoutes({ app, get }: Dashboard) {
  get(`${PROJECT}/history`, "flags:read", async (c, parameters) => {
    const filter = filterOf(c);
    const [project, { items, more }] = await Promise.all([
      getProject(app, parameters.project),
      app.store.changes.page(parameters.project, { ...filter, limit: PAGE }),
    ]);
    return historyPage(project, filter, { items, more, sides: await sidesOf(app, project, items) });
  });
  get(`${FORM}/history`, "forms:read", async (c, { form: name }) => {
    const { who, before } = filterOf(c);
    const query = { who, before, limit: PAGE };
    const { form, page } = await listFormRevisions(app, c.get("caller"), name, query);
    const head = form && { form, projectName: await projectNameOf(app, form) };
    return formHistoryPage(name, head, query, page);
  });
  get(REVISION, "flags:read", async (_, { revision, project: slug }) => {
    const [project, entry] = await Promise.all([getProject(app, slug), entryOf(app, slug, revision)]);
    return revisionPage(project, entry, (await sidesOf(app, project, [entry])).get(entry.revision));
  });
}

/** The filter in the query of a page. Throws `invalid`. */
function filterOf(c: DashboardContext): Filter {
  const textOf = (name: string) => c.req.query(name)?.trim() || undefined;
  const [given, before] = [textOf("kind"), textOf("before")];
  const kind = PROJECT_KINDS.find((each) => each === given);
  if (given !== undefined && kind === undefined)
    throw new AppError("invalid", `the kind of a change is one of ${PROJECT_KINDS.join(", ")}`);
  return {
    environment: textOf("environment"),
    name: textOf("name"),
    kind,
    who: textOf("who"),
    before: before === undefined ? undefined : revisionOf(before),
  };
}

type Sides = ReadonlyMap<number, readonly Side[]>;

/** The states around each change that its flag can be set to, by revision; none if it is as that already. */
async function sidesOf(
  { store }: Pick<Dashboard["app"], "store">,
  { slug, environments }: Project,
  entries: readonly Revision[],
): Promise<Sides> {
  const sides = new Map<number, readonly Side[]>();
  const shown = entries.filter(({ kind, after }) => kind === "flag" && after !== null);
  for (const [environment, group] of Map.groupBy(shown, (entry) => entry.environment)) {
    if (environment === null || !environments.some((each) => each.slug === environment)) continue;
    const names = [...new Set(group.map(({ name }) => name))];
    const flags = await store.flags.among(slug, environment, names);
    const records = new Map(flags.map((record) => [record.slug, record]));
    for (const { name, before, after, revision } of group) {
      const record = records.get(name);
      const now = record && flagState(record);
      const states = { before: before ?? (record && blankState(record)), after };
      sides.set(
        revision,
        (["before", "after"] as const).filter((side) => !Bun.deepEquals(now, states[side], true)),
      );
    }
  }
  return sides;
}

function historyPage(
  { slug, environments }: Project,
  filter: Filter,
  { items, more, sides }: Page<Revision> & { sides: Sides },
): Shown {
  // Other changes are taken back on pages of their own.
  const newest = filter.before === undefined ? items.find(({ kind }) => kind === "flag") : undefined;
  return projectPage({
    project: slug,
    tab: "history",
    title: "History",
    heading: "History",
    commands: commandsOf(slug, filter),
    content: (
      <Changes
        to={`${projectPath(slug)}/history`}
        filter={filter}
        page={{ items, more }}
        card={(entry) => (
          <RevisionCard
            project={slug}
            environments={environments}
            entry={entry}
            sides={entry === newest ? sides.get(entry.revision) : []}
            isListed
          />
        )}
        environments={environments.map((each) => each.slug)}
      />
    ),
  });
}

function formHistoryPage(
  name: string,
  head: { form: FormRecord; projectName: string } | null,
  { who, before }: Filter,
  page: Page<Revision>,
): Shown {
  const { form, p } = namedShort(name);
  const to = `${formPath(name)}/history`;
  return {
    title: `History of the form ${name}`,
    ...(head
      ? { heading: <Foreign text={head.form.name} />, crumbs: crumbsOf(head) }
      : { heading: "History", back: { to: "/forms", label: "Forms" } }),
    section: "forms",
    topics: ["setup"],
    commands: [["Lists the same", "forms history", form!, { p, who, before }]],
    content: (
      <>
        {head && <FormTabs form={head.form} current="History" />}
        <Changes
          to={to}
          filter={{ who, before }}
          page={page}
          card={(entry) => <RevisionCard entry={entry} isListed />}
        />
      </>
    ),
  };
}

/** The commands that list the same changes; the one for a thing names an example if the filter names none. */
function commandsOf(project: string, { kind, name, environment, who, before }: Filter): Command[] {
  const noun = kind === "scheduled" || kind === "ramp" ? "flags" : `${kind}s`;
  const place = { p: project, e: kind === "environment" ? null : environment };
  const query = { kind: name && kind, name, environment, who };
  const path = ADMIN_PATH + addressOf(history.list, { project }, query);
  return [
    kind === undefined || kind === "project"
      ? ["Lists the same", "projects history", project, { e: environment, who, before }]
      : ["Lists the same", `${noun} history`, ...(name === undefined ? [] : [name]), place, { who, before }],
    {
      label: "Lists these, over the admin API",
      text: `curl -H "Authorization: Bearer $FORMFLAG_TOKEN" "$FORMFLAG_SERVER${path}"`,
    },
  ];
}

function revisionPage({ slug, environments }: Project, entry: Revision, sides?: readonly Side[]): Shown {
  const { revision, kind, name } = entry;
  return projectPage({
    project: slug,
    tab: "history",
    title: `Revision ${revision}: ${describeRevision(entry)}`,
    heading: `Revision ${revision}`,
    back: { to: `${projectPath(slug)}/history`, label: "History" },
    commands: [commandsOf(slug, { ...(kind !== "form" && { kind, name }), before: revision + 1 })[0]!],
    content: <RevisionCard project={slug} environments={environments} entry={entry} sides={sides} />,
  });
}

/** The filter of a list of changes. */
type Filter = Omit<RevisionQuery, "limit" | "kind"> & {
  kind?: (typeof PROJECT_KINDS)[number] | undefined;
};

/** The changes that a filter finds, newest first. */
function Changes({
  to,
  filter: { before, ...chosen },
  page: { items, more },
  card,
  environments,
}: {
  to: string;
  filter: Filter;
  page: Page<Revision>;
  card: (entry: Revision) => Child;
  /** Of a project, whose changes are of several kinds and environments. */
  environments?: readonly string[];
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
          {environments && (
            <form method="get" action={addressIn(useView(), to)} class="searchbox" role="search">
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
          {environments && environments.length > 1 && (
            <Chips
              label="Environment"
              chips={[
                link("Everywhere", { environment: undefined }, environment === undefined),
                ...environments.map((each) => link(each, { environment: each }, each === environment)),
              ]}
            />
          )}
          {environments && (
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
      class="drawn"
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
