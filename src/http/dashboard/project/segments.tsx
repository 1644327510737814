import { Hono } from "hono/quick";
import type { SegmentRecord } from "../../../flags/segment.ts";
import { type SegmentUse, segmentUses } from "../../../flags/segments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardEnv } from "../dashboard-env.ts";
import { settingPath } from "../flags/paths.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { Empty, Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { EnvironmentField, FilterForm, Pager } from "./filter-form.tsx";
import { environmentPath, projectPage } from "./project-page.tsx";
import { segmentInWords } from "./segment-form.tsx";

/** Segments on one page, and what uses one of them there. */
const PAGE = 50;
const SHOWN_USES = 5;

export function segmentsRoutes({ app, page }: Dashboard) {
  return new Hono<DashboardEnv>().get(
    "/projects/:project/segments",
    page("flags:read", async (c) => {
      const project = await getProject(app, c.req.param("project")!);
      const slug = c.req.query("environment") || project.environments[0]?.slug;
      if (slug === undefined) return noEnvironmentPage(project);
      const environment = await getEnvironment(app, project.slug, slug);
      const after = c.req.query("after") || undefined;
      const { items, more } = await app.store.segments.page(project.slug, slug, { limit: PAGE, after });
      const uses = await segmentUses(app, { project: project.slug, environment: slug });
      return segmentsPage({ project, environment, segments: items, uses, after, more });
    }),
  );
}

function noEnvironmentPage({ slug }: Project): Page {
  return projectPage({
    project: slug,
    tab: "segments",
    title: "Segments",
    heading: "Segments",
    commands: [
      { label: "Creates an environment", text: `formflag environments create production -p ${quoted(slug)}` },
    ],
    content: (
      <Empty title="This project has no environment">
        <ButtonLink to={`${projectPath(slug)}/settings`}>Create one</ButtonLink>
      </Empty>
    ),
  });
}

/** The path of a segment. */
export function segmentPath(project: string, environment: string, segment: string): string {
  return `${environmentPath(project, environment)}/segments/${encodeURIComponent(segment)}`;
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
  const path = `${projectPath(slug)}/segments`;
  const where = `-p ${quoted(slug)} -e ${quoted(environment.slug)}`;
  return projectPage({
    project: slug,
    tab: "segments",
    title: `Segments of ${environment.slug}`,
    heading: "Segments",
    actions: <CreateLink project={slug} environment={environment.slug} />,
    commands: [
      { label: "Lists them", text: `formflag segments list ${where}` },
      {
        label: "Creates one",
        text: `formflag segments set staff ${where} --rule '{"ends_with":[{"var":"email"},"@example.com"]}'`,
      },
    ],
    content: (
      <>
        <FilterForm to={path} label="Environment">
          <EnvironmentField environments={environments} value={environment.slug} />
        </FilterForm>
        {segments.length === 0 ? (
          <Empty title={`${environment.slug} has no segments`}>
            <p class="soft">
              A segment is a condition that rules of several flags share, such as the addresses of your staff.
            </p>
            <CreateLink project={slug} environment={environment.slug} />
          </Empty>
        ) : (
          <>
            <p>
              Rules of flags in <EnvironmentName environment={environment} /> refer to these by name.
            </p>
            <Table
              caption={`Segments of ${environment.slug}`}
              rows={segments}
              keyOf={({ name }) => `segment-${name}`}
              columns={[
                {
                  label: "Segment",
                  heading: true,
                  cell: ({ name }) => <A to={segmentPath(slug, environment.slug, name)}>{name}</A>,
                },
                { label: "Who", cell: ({ rule }) => <Foreign text={segmentInWords(JSON.parse(rule))} /> },
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
            />
          </>
        )}
        <Pager
          newest={
            after !== undefined && (
              <ButtonLink to={path} query={{ environment: environment.slug }}>
                First
              </ButtonLink>
            )
          }
          older={
            more && (
              <ButtonLink to={path} query={{ environment: environment.slug, after: segments.at(-1)!.name }}>
                Next
              </ButtonLink>
            )
          }
        />
      </>
    ),
  });
}

function CreateLink({ project, environment }: { project: string; environment: string }) {
  if (!useMay("flags:write")) return null;
  return (
    <ButtonLink
      to={`${projectPath(project)}/segments/new`}
      query={{ environment }}
      kind="primary"
      icon="plus"
    >
      Create a segment
    </ButtonLink>
  );
}

/** What refers to a segment, each as a link. */
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
          {kind === "flag" && "flag "}
          {kind === "segment" && "segment "}
          {kind === "scheduled" && "scheduled change of "}
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
