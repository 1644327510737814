import { segmentInWords } from "../../../flags/rules/rule-words.ts";
import { type SegmentRecord, viewSegment } from "../../../flags/segment.ts";
import { type SegmentUse, segmentUses } from "../../../flags/segments.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Page } from "../page.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { Card, Empty } from "../parts/card.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay, useMayChange } from "../view.ts";
import { MAX_COLUMNS } from "../flags/flag-table.tsx";
import { List } from "../parts/list.tsx";
import { NEW_SEGMENT, SEGMENTS, pathTo, projectPath, segmentPath, settingPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";
import type { Member } from "../../../memberships/store.ts";

/** A segment with its place, and what uses it. */
export type FoundSegment = {
  project: Project;
  environment: Environment;
  /** The environments that have one of this name. */
  places: readonly Environment[];
  record: SegmentRecord;
  uses: (SegmentUse & { environment: string })[];
};

/** Segments on one page, and what uses one of them. */
const PAGE = 50;
const SHOWN_USES = 5;

/** A segment by its name: what it is in each environment that has it, and what uses it in any. */
type SharedSegment = {
  name: string;
  records: ReadonlyMap<string, SegmentRecord>;
  uses: readonly (SegmentUse & { environment: string })[];
  changedAt: number;
};

export function segmentsRoutes({ app, get }: Dashboard) {
  get(SEGMENTS, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    if (project.environments.length === 0) return noEnvironmentPage(project);
    const all = await sharedSegments(app, project);
    const after = c.req.query("after") || undefined;
    const rest = after === undefined ? all : all.filter(({ name }) => name > after);
    return segmentsPage({ project, segments: rest.slice(0, PAGE), after, more: rest.length > PAGE });
  });
}

/** The segments of every environment of a project by name. */
async function sharedSegments(
  app: Dashboard["app"],
  { slug: project, environments }: Project,
): Promise<SharedSegment[]> {
  const found = await Promise.all(
    environments.map(async ({ slug: environment }) => ({
      environment,
      records: await app.store.segments.list(project, environment),
      uses: await segmentUses(app, { project, environment }),
    })),
  );
  const names = new Set(found.flatMap(({ records }) => records.map(({ name }) => name)));
  return [...names].toSorted().map((name) => {
    const records = found.flatMap(({ environment, records }) => {
      const record = records.find((each) => each.name === name);
      return record ? [[environment, record] as const] : [];
    });
    const uses = found.flatMap(({ environment, uses }) =>
      (uses.get(name) ?? []).map((use) => ({ ...use, environment })),
    );
    // A flag may use it in several environments.
    const once = new Map(uses.toReversed().map((use) => [`${use.kind} ${use.name}`, use]));
    const changedAt = Math.max(...records.map(([, { updatedAt }]) => updatedAt));
    return { name, records: new Map(records), uses: [...once.values()].toReversed(), changedAt };
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
  segments: readonly SharedSegment[];
  after: string | undefined;
  more: boolean;
};

function segmentsPage({ project, segments, after, more }: Segments): Page {
  const { slug, environments } = project;
  const path = pathTo(SEGMENTS, { project: slug });
  const shown = environments.slice(0, MAX_COLUMNS);
  const place = { p: slug, e: environments[0]!.slug };
  return projectPage({
    project: slug,
    tab: "segments",
    title: "Segments",
    heading: "Segments",
    ...(segments.length > 0 && { actions: <CreateLink project={slug} /> }),
    commands: [
      ["Lists them", "segments list", place],
      ["Creates one", "segments set", "staff", place, { if: "email ends_with @example.com" }],
    ],
    content: (
      <List
        empty={
          <Empty title={after === undefined ? "There are no segments yet" : "There are no more segments"}>
            <p class="soft">
              A segment is a condition that rules of several flags share, such as the addresses of your staff.
            </p>
            <CreateLink project={slug} />
          </Empty>
        }
        caption="Segments"
        rows={segments}
        keyOf={({ name }) => `segment-${name}`}
        columns={[
          {
            label: "Segment",
            heading: true,
            cell: ({ name, records }) => <A to={segmentPath(slug, [...records.keys()][0]!, name)}>{name}</A>,
          },
          ...shown.map((environment) => ({
            label: environment.slug,
            cell: ({ name, records }: SharedSegment) => {
              const record = records.get(environment.slug);
              if (!record) return <span class="soft">–</span>;
              return (
                <A to={segmentPath(slug, environment.slug, name)} class="clamp">
                  <Who record={record} project={slug} />
                </A>
              );
            },
          })),
          {
            label: "Used by",
            cell: ({ uses }) => <Uses project={slug} uses={uses} most={SHOWN_USES} />,
          },
          { label: "Changed", cell: ({ changedAt }) => <Time at={changedAt} /> },
        ]}
        pages={{ to: path, isLater: after !== undefined, next: more && { after: segments.at(-1)!.name } }}
      />
    ),
  });
}

function CreateLink({ project }: { project: string }) {
  if (!useMay("flags:write")) return null;
  return (
    <ButtonLink to={pathTo(NEW_SEGMENT, { project })} kind="primary" icon="plus">
      New segment
    </ButtonLink>
  );
}

/** Links to the flags and segments that use a segment. */
export function Uses({
  project,
  uses,
  most,
}: {
  project: string;
  uses: readonly (SegmentUse & { environment: string })[];
  most: number;
}) {
  if (uses.length === 0) return <span class="soft whole">nothing</span>;
  return (
    <ul>
      {uses.slice(0, most).map(({ kind, name, environment }) => (
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

/** Values on a page. */
export const SHOWN_MEMBERS = 50;

/** The values of a segment: null for who may not read the form; `after` is the last one before the page. */
export type ShownMembers = {
  lists: { pending: Member[]; approved: Member[]; more: boolean } | null;
  after: string | undefined;
};

/** The members of a segment that a form fills, and the values that wait for approval. */
export function MembersCard({ segment, members }: { segment: FoundSegment; members: ShownMembers }) {
  const { project, environment, record } = segment;
  const { lists, after } = members;
  const { members: count, pending } = record.counts ?? { members: 0, pending: 0 };
  const to = segmentPath(project.slug, environment.slug, record.name);
  const mayApprove = useMayChange([environment]);
  return (
    <Card id="members" title="Members">
      <p>
        {count.toLocaleString("en")} {count === 1 ? "member" : "members"}
        {pending > 0 && `, ${pending.toLocaleString("en")} pending`}.
      </p>
      {lists === null && <p class="soft">Only users who may read the form see the members.</p>}
      {lists && lists.pending.length > 0 && (
        <>
          <h3>Pending</h3>
          <ul class="stack">
            {lists.pending.map(({ value }) => (
              <li class="line">
                {mayApprove && (
                  <Form to={`${to}/approve`} values={{ value }} class="inline" label={`Approve ${value}`}>
                    <Button label={`Approve ${value}`}>Approve</Button>
                  </Form>
                )}
                <Foreign text={value} />
              </li>
            ))}
          </ul>
          {mayApprove && (
            <Form to={`${to}/approve`} values={{ all: "1" }} label="Approve all">
              <Button kind="primary">Approve all</Button>
            </Form>
          )}
        </>
      )}
      {lists && lists.approved.length > 0 && (
        <>
          {lists.pending.length > 0 && <h3>Approved</h3>}
          <ul>
            {lists.approved.map(({ value }) => (
              <li>
                <Foreign text={value} />
              </li>
            ))}
          </ul>
        </>
      )}
      {lists && (lists.more || after !== undefined) && (
        <p class="buttons">
          {after !== undefined && <A to={to}>First ones</A>}
          {lists.more && (
            <A to={to} query={{ after: lists.approved.at(-1)!.value }}>
              More
            </A>
          )}
        </p>
      )}
    </Card>
  );
}
