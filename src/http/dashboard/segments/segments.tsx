import { segmentInWords } from "../../../flags/rules/rule-words.ts";
import { type SegmentRecord, viewSegment } from "../../../flags/segment.ts";
import { type SegmentUse, segmentUses } from "../../../flags/segments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Page } from "../page.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { EnvironmentField, FilterForm, List } from "../parts/list.tsx";
import { NEW_SEGMENT, SEGMENTS, pathTo, segmentPath, settingPath, projectPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";

/** A segment with its place, and what uses it. */
export type FoundSegment = {
  project: Project;
  environment: Environment;
  record: SegmentRecord;
  uses: SegmentUse[];
};

/** Segments on one page, and what uses one of them there. */
const PAGE = 50;
const SHOWN_USES = 5;

export function segmentsRoutes({ app, get }: Dashboard) {
  get(SEGMENTS, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const slug = c.req.query("environment") || project.environments[0]?.slug;
    if (slug === undefined) return noEnvironmentPage(project);
    const after = c.req.query("after") || undefined;
    const [environment, { items, more }, uses] = await Promise.all([
      getEnvironment(app, project.slug, slug),
      app.store.segments.page(project.slug, slug, { limit: PAGE, after }),
      segmentUses(app, { project: project.slug, environment: slug }),
    ]);
    return segmentsPage({ project, environment, segments: items, uses, after, more });
  });
}

function noEnvironmentPage({ slug }: Project): Page {
  return projectPage({
    project: slug,
    tab: "segments",
    title: "Segments",
    heading: "Segments",
    commands: [["Creates an environment", "environments create", "production", { p: slug }]],
    content: (
      <Empty title="This project has no environment">
        <ButtonLink to={`${projectPath(slug)}/settings`}>Create one</ButtonLink>
      </Empty>
    ),
  });
}

type Segments = {
  project: Project;
  environment: Environment;
  segments: SegmentRecord[];
  uses: Map<string, SegmentUse[]>;
  after: string | undefined;
  more: boolean;
};

function segmentsPage({ project, environment, segments, uses, after, more }: Segments): Page {
  const { slug, environments } = project;
  const path = pathTo(SEGMENTS, { project: slug });
  const place = { p: slug, e: environment.slug };
  return projectPage({
    project: slug,
    tab: "segments",
    title: `Segments of ${environment.slug}`,
    heading: "Segments",
    actions: <CreateLink project={slug} environment={environment.slug} />,
    commands: [
      ["Lists them", "segments list", place],
      [
        "Creates one",
        "segments set",
        "staff",
        place,
        {
          if: "email ends_with @example.com",
        },
      ],
    ],
    content: (
      <List
        filters={
          <FilterForm to={path} label="Environment">
            <EnvironmentField environments={environments} value={environment.slug} />
          </FilterForm>
        }
        empty={
          <Empty title={`${environment.slug} has no segments`}>
            <p class="soft">
              A segment is a condition that rules of several flags share, such as the addresses of your staff.
            </p>
            <CreateLink project={slug} environment={environment.slug} />
          </Empty>
        }
        above={
          <p>
            Rules of flags in <EnvironmentName environment={environment} /> refer to these by name.
          </p>
        }
        caption={`Segments of ${environment.slug}`}
        rows={segments}
        keyOf={({ name }) => `segment-${name}`}
        columns={[
          {
            label: "Segment",
            heading: true,
            cell: ({ name }) => <A to={segmentPath(slug, environment.slug, name)}>{name}</A>,
          },
          {
            label: "Who",
            cell: (record) => (
              <span class="clamp">
                <Who record={record} project={slug} />
              </span>
            ),
          },
          {
            label: "Used by",
            cell: ({ name }) => (
              <Uses
                project={slug}
                environment={environment.slug}
                uses={uses.get(name) ?? []}
                most={SHOWN_USES}
              />
            ),
          },
          { label: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        pages={{
          to: path,
          query: { environment: environment.slug },
          isLater: after !== undefined,
          next: more && { after: segments.at(-1)!.name },
        }}
      />
    ),
  });
}

function CreateLink({ project, environment }: { project: string; environment: string }) {
  if (!useMay("flags:write")) return null;
  return (
    <ButtonLink to={pathTo(NEW_SEGMENT, { project })} query={{ environment }} kind="primary" icon="plus">
      Create a segment
    </ButtonLink>
  );
}

/** Links to the flags and segments that use a segment. */
export function Uses({
  project,
  environment,
  uses,
  most,
}: {
  project: string;
  environment: string;
  uses: readonly SegmentUse[];
  most: number;
}) {
  if (uses.length === 0) return <span class="soft">nothing</span>;
  return (
    <ul>
      {uses.slice(0, most).map(({ kind, name }) => (
        <li>
          {kind === "scheduled" ? "scheduled change of " : `${kind} `}
          <A
            to={
              kind === "segment"
                ? segmentPath(project, environment, name)
                : settingPath({ project, environment, flag: name })
            }
          >
            {name}
          </A>
        </li>
      ))}
      {uses.length > most && <li class="soft">and {(uses.length - most).toLocaleString("en")} more</li>}
    </ul>
  );
}

/** The rule or the source of a segment, in words. */
export function Who({ record, project }: { record: SegmentRecord; project: string }) {
  return <Foreign text={segmentInWords(viewSegment(record, project))} />;
}
