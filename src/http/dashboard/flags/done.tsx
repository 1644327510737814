import type { App } from "../../../app.ts";
import { DAY_MS } from "../../../base/days.ts";
import { finishedAmong, type Place, placesOf } from "../../../flags/cleanup.ts";
import { isOn } from "../../../flags/flag.ts";
import { flags } from "../../../operations/flags.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { ButtonForm } from "../parts/link.tsx";
import { Pager } from "../parts/list.tsx";
import { Table } from "../parts/table.tsx";
import { Fault } from "../parts/status.tsx";
import { counted, Foreign } from "../parts/text.tsx";
import { DONE, flagPath, pathTo, projectPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import type { Dashboard } from "../routes.ts";
import { useMayChange } from "../view.ts";
import { A } from "../parts/link.tsx";
import { CodePlace } from "../usage/code.tsx";
import { flagsInLanes, type LaneFlag } from "./lanes.ts";

/** Flags on one page. */
const PAGE = 20;
/** Flags that are checked at once. */
const STEP = 100;
/** Places in code that a row shows. */
const PLACES = 5;

/** The page of the flags that are done, which archives them. */
export function doneRoutes({ app, act, get, post }: Dashboard) {
  get(DONE, "flags:read", async (c, names) => {
    const project = await getProject(app, names.project);
    return donePage(project, await readDone(app, project, c.req.query("after") || null));
  });
  post(
    DONE,
    "flags:write",
    act({
      operation: flags.details,
      input({ fields, names: { project } }) {
        // The page may be older than what holds the flag now.
        return {
          names: { project, flag: textOf(fields, "flag") },
          body: { archived: true, ifFinished: true },
        };
      },
      async again({ names }, faults) {
        const project = await getProject(app, names.project);
        return donePage(project, await readDone(app, project, null), faults["flag"]);
      },
      at: { "not-finished": "flag" },
      done: ({ slug }, { names: { project } }) => ({
        to: pathTo(DONE, { project }),
        text: `${slug} is archived.`,
        undo: { to: `${flagPath(project, slug)}/details`, values: { act: "restore", environment: "" } },
      }),
      async confirm({ fields, names: { project } }) {
        const flag = textOf(fields, "flag");
        return {
          title: `Confirm: archive ${flag}, ${project}`,
          label: `Archive ${flag}`,
          environments: (await getProject(app, project)).environments.filter(({ locked }) => locked),
          change: <p>{flag} is hidden from its readers in every environment.</p>,
          back: { to: pathTo(DONE, { project }), label: "Flags that are done" },
        };
      },
    }),
  );
}

type Row = { slug: string; text: string; days: number; places: Place[] };

/** A page of the flags that are done, the longest done first. */
async function readDone(app: App, project: Project, after: string | null) {
  const now = app.now();
  const { flags: all } = await flagsInLanes(app, project);
  const candidates = all
    .filter((flag) => mayBeDone(flag, now))
    .toSorted((a, b) => a.changedAt - b.changedAt || (a.slug < b.slug ? -1 : 1));
  const start = candidates.findIndex(({ slug }) => slug === after) + 1;
  const rows: Row[] = [];
  for (let at = start; at < candidates.length; at += STEP) {
    const slugs = candidates.slice(at, at + STEP).map(({ slug }) => slug);
    for (const [slug, { keep, since }] of await finishedAmong(app, project.slug, slugs)) {
      if (rows.length === PAGE) return { rows, after, next: rows.at(-1)!.slug };
      const places = await placesOf(app, project.slug, slug, PLACES + 1);
      rows.push({ slug, text: keep.text, days: Math.floor((now - since) / DAY_MS), places });
    }
  }
  return { rows, after, next: null };
}

/** Whether a flag has begun, and is alike everywhere as far as the list knows. */
function mayBeDone(
  { archived, permanent, verdict, courses, createdAt, environments }: LaneFlag,
  now: number,
) {
  const [first, ...others] = environments.map((each) => isOn(each, now));
  if (archived || permanent || courses.size > 0 || others.some((each) => each !== first)) return false;
  return (
    first === true || verdict !== undefined || environments.some(({ updatedAt }) => updatedAt > createdAt)
  );
}

function donePage(
  project: Project,
  { rows, after, next }: Awaited<ReturnType<typeof readDone>>,
  fault?: string,
): Page {
  const { slug } = project;
  return projectPage({
    project: slug,
    tab: "flags",
    title: "Flags that are done",
    heading: "Flags that are done",
    back: { to: projectPath(slug), label: "Flags" },
    commands: [
      [
        "Check a flag, with each place in the code",
        "flags cleanup",
        rows[0]?.slug ?? "new-checkout",
        { p: slug },
      ],
      ["In a pipeline: fail while a stale flag can be removed", "flags stale", { p: slug, strict: true }],
    ],
    content: (
      <>
        <Fault message={fault} />
        <p class="soft">
          Everyone gets the same in every environment, and no ramp, experiment, form, schedule or other flag
          holds them. Take each out of the code, then archive it.
        </p>
        {rows.length === 0 ? (
          <Empty title="No flag is done" />
        ) : (
          <div class="card flush">
            <DoneTable project={project} rows={rows} />
          </div>
        )}
        <Pager
          to={pathTo(DONE, { project: slug })}
          isLater={after !== null}
          next={next !== null && { after: next }}
        />
      </>
    ),
  });
}

function DoneTable({ project, rows }: { project: Project; rows: readonly Row[] }) {
  const mayArchive = useMayChange(project.environments);
  const archive = {
    label: "Archive",
    isLabelUnseen: true,
    cell: ({ slug }: Row) => (
      <ButtonForm
        to={pathTo(DONE, { project: project.slug })}
        values={{ flag: slug }}
        kind="low"
        icon="archive"
        label={`Archive ${slug}`}
      >
        Archive
      </ButtonForm>
    ),
  };
  return (
    <Table
      caption="Flags that are done"
      rows={rows}
      keyOf={({ slug }) => `done-${slug}`}
      columns={[
        {
          label: "Flag",
          heading: true,
          cell: ({ slug }) => <A to={flagPath(project.slug, slug)}>{slug}</A>,
        },
        { label: "In the code", cell: ({ text }) => <Foreign text={text} /> },
        { label: "For", cell: ({ days }) => counted(days, "day") },
        { label: "References", cell: (row) => <References project={project.slug} row={row} /> },
        ...(mayArchive ? [archive] : []),
      ]}
    />
  );
}

/** The first places in the code that name a flag, with the commit that was read. */
function References({ project, row: { slug, places } }: { project: string; row: Row }) {
  if (places.length === 0) return <span class="soft">none known</span>;
  return (
    <ul>
      {places.slice(0, PLACES).map(({ filePath, lineNumber, url, commit }) => (
        <li>
          <CodePlace place={`${filePath}:${lineNumber}`} url={url} />
          {commit !== null && (
            <span class="soft small">
              {" "}
              at <Foreign text={commit.slice(0, 12)} />
            </span>
          )}
        </li>
      ))}
      {places.length > PLACES && (
        <li>
          <A to={`${flagPath(project, slug)}/code`}>All references</A>
        </li>
      )}
    </ul>
  );
}
