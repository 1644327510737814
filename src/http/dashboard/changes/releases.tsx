import { AppError } from "../../../base/errors.ts";
import { own } from "../../../base/shapes/own.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Pager } from "../parts/list.tsx";
import { Chips } from "../parts/seg.tsx";
import { EXPERIMENTS, NEW_EXPERIMENT, PROJECT, RELEASES, pathTo, projectPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import type { Dashboard } from "../routes.ts";
import { addressOf, useMayChange } from "../view.ts";
import { HELD, KINDS, type Kind, SOURCES, type Source, readSource } from "./release-list.ts";
import type { Release } from "./release-record.tsx";
import { ReleaseRow } from "./release-rows.tsx";

/** Finished releases that are shown beside unfinished ones. */
const LATELY = 8;

const NAMES = Object.keys(SOURCES) as Source[];

const SHOWN = { ...KINDS, finished: "Finished" } as const;

/** The filter of a page of the list: everything, or with `show` releases of a kind, or finished ones. */
type Filter = {
  show: Kind | "finished" | undefined;
  environment: string | undefined;
  flag: string | undefined;
};

/** The releases of a project in one list, by what a person does next. The lists that it replaced lead to it. */
export function releasesRoutes(dashboard: Dashboard) {
  const { app, get, perform } = dashboard;
  get(RELEASES, "flags:read", async (c, { project: slug }) => {
    const filter = filterOf(c);
    const { show, environment, flag } = filter;
    const [project] = await Promise.all([
      getProject(app, slug),
      environment !== undefined && getEnvironment(app, slug, environment),
    ]);
    const isLater = NAMES.some((name) => c.req.query(name) !== undefined);
    const reading = { app, c, perform, project, environment, flag };
    // The first page counts what each kind has.
    const read = NAMES.filter((name) => {
      if (isLater) return c.req.query(name) !== undefined;
      return SOURCES[name].kind !== null || show === undefined || show === "finished";
    });
    const found = await Promise.all(
      read.map(async (name) => ({ name, ...(await readSource(name, reading, c.req.query(name))) })),
    );
    return releasesPage(project, filter, found, isLater);
  });
  const lead = (
    path: typeof EXPERIMENTS | `${typeof PROJECT}/${string}`,
    show: (c: DashboardContext) => string,
  ) =>
    get(path, "flags:read", async (c, names) => {
      const { environment, flag } = c.req.query();
      const query = { show: show(c), environment: environment || null, flag: flag || null };
      return c.redirect(addressOf(dashboard, pathTo(RELEASES, names as { project: string }), query), 302);
    });
  lead(`${PROJECT}/scheduled`, () => "scheduled");
  lead(EXPERIMENTS, () => "experiments");
  lead(`${PROJECT}/changes`, (c) =>
    ["", "open", "approved"].includes(c.req.query("status") ?? "") ? "proposals" : "finished",
  );
}

/** Throws `invalid`. */
function filterOf(c: DashboardContext): Filter {
  const textOf = (name: string) => c.req.query(name)?.trim() || undefined;
  const show = textOf("show");
  if (show !== undefined && own(SHOWN, show) === undefined)
    throw new AppError("invalid", `show is one of ${Object.keys(SHOWN).join(", ")}`);
  return { show: show as Filter["show"], environment: textOf("environment"), flag: textOf("flag") };
}

type Found = { name: Source; releases: Release[]; next: string | null }[];

function releasesPage(project: Project, filter: Filter, found: Found, isLater: boolean): Page {
  const { slug } = project;
  const { show, environment, flag } = filter;
  const shown = found.filter(({ name }) => {
    const { kind } = SOURCES[name];
    return show === undefined || (show === "finished" ? kind === null : kind === show);
  });
  const releases = shown.flatMap((each) => each.releases);
  // On the list of everything, finished releases have pages of their own.
  const next = shown.flatMap(({ name, next }) =>
    next === null || (show === undefined && SOURCES[name].kind === null) ? [] : [[name, next] as const],
  );
  return projectPage({
    project: slug,
    tab: "releases",
    title: show === undefined ? "Releases" : `Releases: ${SHOWN[show]}`,
    heading: "Releases",
    commands: [
      ["List ramps", "flags ramps", { p: slug, e: environment }],
      ["List scheduled changes", "flags scheduled", { p: slug, e: environment }],
      ["List experiments", "experiments list", { p: slug, e: environment ?? project.environments[0]?.slug }],
      ["List proposals", "changes list", { p: slug }],
    ],
    content: (
      <>
        <Filters project={project} filter={filter} found={isLater ? [] : found} />
        {releases.length === 0 ? (
          <Nothing project={slug} filter={filter} />
        ) : (
          <Groups project={project} releases={releases} filter={filter} />
        )}
        {shown.some(({ name, releases }) => ["ramps", "held"].includes(name) && releases.length === HELD) && (
          <p class="soft">More are in progress; the first {HELD} of each kind are here.</p>
        )}
        <Pager
          to={pathTo(RELEASES, { project: slug })}
          query={filter}
          isLater={isLater}
          next={next.length > 0 && Object.fromEntries(next)}
        />
        <Begin project={project} flag={flag} environment={environment} />
      </>
    ),
  });
}

function Filters({ project, filter, found }: { project: Project; filter: Filter; found: Found }) {
  const { environment, flag } = filter;
  const { length: environments } = project.environments;
  const chip = (label: string, query: Partial<Filter>, isCurrent: boolean, count?: string | null) => ({
    to: pathTo(RELEASES, { project: project.slug }),
    query: { ...filter, ...query },
    label,
    isCurrent,
    count: count ?? null,
  });
  const countOf = (isCounted: (kind: Kind) => boolean) => {
    const counted = found.filter(({ name }) => {
      const { kind } = SOURCES[name];
      return kind !== null && isCounted(kind);
    });
    const sum = counted.reduce((all, { releases }) => all + releases.length, 0);
    return sum === 0 ? null : `${sum}${counted.some(({ next }) => next !== null) ? "+" : ""}`;
  };
  return (
    <div class="toolbar">
      <Chips
        label="Which"
        chips={[
          chip(
            "All",
            { show: undefined },
            filter.show === undefined,
            countOf(() => true),
          ),
          ...Object.entries(SHOWN).map(([name, label]) =>
            chip(
              label,
              { show: name as Filter["show"] },
              filter.show === name,
              countOf((kind) => kind === name),
            ),
          ),
        ]}
      />
      {environments > 1 && (
        <Chips
          label="Environment"
          chips={[
            chip("Everywhere", { environment: undefined }, environment === undefined),
            ...project.environments.map(({ slug }) =>
              chip(slug, { environment: slug }, slug === environment),
            ),
          ]}
        />
      )}
      {flag !== undefined && <Chips label="Flag" chips={[chip(`${flag} ×`, { flag: undefined }, true)]} />}
    </div>
  );
}

function Groups({ project, releases, filter }: { project: Project; releases: Release[]; filter: Filter }) {
  const inGroup = (group: Release["group"]) => releases.filter((each) => each.group === group);
  // Stopped releases come first.
  const decide = inGroup("decide").toSorted((a, b) => Number(b.tone === "warn") - Number(a.tone === "warn"));
  const finished = inGroup("finished").toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  const isCut = filter.show === undefined && finished.length > LATELY;
  const groups = [
    ["decide", "Decide", decide],
    ["running", "Running", inGroup("running")],
    ["next", "Next", inGroup("next")],
    ["finished", "Finished", isCut ? finished.slice(0, LATELY) : finished],
  ] as const;
  return (
    <>
      {groups.map(
        ([group, title, rows]) =>
          rows.length > 0 && (
            <section class="card flush" aria-labelledby={group}>
              <div class="title">
                <h2 id={group}>{title}</h2>
                {group === "decide" && <span class="count warn">{rows.length}</span>}
                {group === "finished" && isCut && (
                  <A
                    class="end"
                    to={pathTo(RELEASES, { project: project.slug })}
                    query={{ ...filter, show: "finished" }}
                    label="All that have ended"
                  >
                    All
                  </A>
                )}
              </div>
              <ul class="rows">
                {rows.map((release, index) => (
                  <ReleaseRow
                    project={project}
                    release={release}
                    isFirst={group === "decide" && index === 0}
                  />
                ))}
              </ul>
            </section>
          ),
      )}
    </>
  );
}

function Nothing({ project, filter: { show, environment, flag } }: { project: string; filter: Filter }) {
  if (show !== undefined || environment !== undefined || flag !== undefined)
    return (
      <Empty title="No release matches">
        <ButtonLink to={pathTo(RELEASES, { project })}>Show every release</ButtonLink>
      </Empty>
    );
  return (
    <Empty title="Nothing is released step by step, at a time, or as an experiment">
      <ButtonLink to={projectPath(project)}>Show the flags</ButtonLink>
    </Empty>
  );
}

/** The pages on which releases begin. */
function Begin({ project: { slug, environments }, ...query }: { project: Project } & Omit<Filter, "show">) {
  const mayChange = environments.some((each) => useMayChange([each]));
  return (
    <p class="soft small">
      A release begins on the page of its flag.{" "}
      {mayChange && (
        <A to={pathTo(NEW_EXPERIMENT, { project: slug })} query={query}>
          Create an experiment
        </A>
      )}
    </p>
  );
}
