import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { pageReferences } from "../../../flags/code/code-references.ts";
import type { CodeReferences } from "../../../flags/code/code-reference.ts";
import { DEFAULT_STALE_DAYS, findStale } from "../../../flags/stale.ts";
import type { StaleFlag, StaleReason } from "../../../flags/flag-schema.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Empty } from "../parts/card.tsx";
import { type Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { PROJECT, flagPath, settingPath, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { EnvironmentField, FilterForm, List } from "../parts/list.tsx";
import { scanCommand } from "./code.tsx";
import { projectPage } from "../project/project-page.tsx";

/** Flags on one page, and the lines of code shown of each. */
const PAGE = 50;
const SHOWN_LINES = 3;

export function staleRoutes({ app, get }: Dashboard) {
  get(`${PROJECT}/stale`, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = c.req.query("environment") || null;
    const days = daysIn(c);
    const after = c.req.query("after") ?? "";
    const all = await findStale(app, { project: project.slug, environment, days });
    const rest = all.filter(({ slug }) => slug > after);
    const shown = await Promise.all(rest.slice(0, PAGE).map((each) => withCode(app, project.slug, each)));
    const chosen = { environment, days: days === DEFAULT_STALE_DAYS ? null : days };
    const next = rest.length > PAGE ? shown.at(-1)!.slug : null;
    return stalePage({ project, chosen, days, total: all.length, shown, after, next });
  });
}

/** Throws `invalid`. */
function daysIn(c: DashboardContext): number {
  const text = c.req.query("days") || String(DEFAULT_STALE_DAYS);
  if (!/^\d{1,5}$/.test(text) || Number(text) > 36_500)
    throw new AppError("invalid", "days is a number from 0 to 36500");
  return Number(text);
}

/** A stale flag with the first lines of code that name it. */
type Shown = StaleFlag & { code: CodeReferences | undefined };

async function withCode(app: App, project: string, stale: StaleFlag): Promise<Shown> {
  const { references } = await pageReferences(app, project, { flag: stale.slug, limit: 1 });
  return { ...stale, code: references[0] };
}

type Stale = {
  project: Project;
  chosen: { environment: string | null; days: number | null };
  days: number;
  total: number;
  shown: Shown[];
  after: string;
  next: string | null;
};

function stalePage({ project, chosen, days, total, shown, after, next }: Stale): Page {
  const { slug, environments } = project;
  const { environment } = chosen;
  const path = `${projectPath(slug)}/stale`;
  return projectPage({
    project: slug,
    tab: "stale",
    title: "Stale flags",
    heading: "Stale flags",
    commands: [
      ["Lists them", "flags stale", { p: slug, e: environment, days: chosen.days }],
      { label: "Finds where code names them", text: scanCommand(slug) },
    ],
    content: (
      <List
        filters={
          <FilterForm to={path} label="Filter">
            <EnvironmentField environments={environments} value={environment} all="In every environment" />
            <TextField name="days" label="Days unchanged or unread" type="number" value={days} />
          </FilterForm>
        }
        empty={
          <Empty title="No flag looks finished">
            <p class="soft">
              A flag is listed here once it has expired, is the same for everybody, is not read any more, or
              is not named by any code.
            </p>
          </Empty>
        }
        above={
          <p>
            {total === 1 ? "1 flag looks" : `${total.toLocaleString("en")} flags look`} finished. Take
            {total === 1 ? " it" : " each"} out of the code first, then delete it.
          </p>
        }
        caption="Stale flags"
        rows={shown}
        keyOf={({ slug }) => `flag-${slug}`}
        columns={columnsOf(slug, environment ?? environments[0]?.slug ?? "", days)}
        pages={{ to: path, query: chosen, isLater: after !== "", next: next !== null && { after: next } }}
      />
    ),
  });
}

function columnsOf(project: string, environment: string, days: number): Column<Shown>[] {
  return [
    {
      label: "Flag",
      heading: true,
      cell: ({ slug }) => <A to={settingPath({ project, environment, flag: slug })}>{slug}</A>,
    },
    {
      label: "Why",
      cell: ({ reasons }) => (
        <ul>
          {reasons.map((reason) => (
            <li>
              <Badge>{reason}</Badge> {whyOf(reason, days)}
            </li>
          ))}
        </ul>
      ),
    },
    { label: "Since", cell: ({ since }) => <Time at={Date.parse(since)} /> },
    {
      label: "In code",
      cell: ({ slug, code }) => <CodeLines project={project} slug={slug} code={code} />,
    },
    {
      label: "Delete",
      isLabelUnseen: true,
      scope: "flags:write",
      cell: ({ slug }) => (
        <ButtonLink to={`${flagPath(project, slug)}#delete-form`} kind="quiet" label={`Delete ${slug}…`}>
          Delete…
        </ButtonLink>
      ),
    },
  ];
}

function whyOf(reason: StaleReason, days: number): string {
  const duration = days === 1 ? "1 day" : `${days.toLocaleString("en")} days`;
  const why: Record<StaleReason, string> = {
    expired: "past its expiry",
    settled: `the same for everybody, unchanged for ${duration}`,
    unread: `not read for ${duration}`,
    unreferenced: "no code names it",
  };
  return why[reason];
}

function CodeLines({
  project,
  slug,
  code,
}: {
  project: string;
  slug: string;
  code: CodeReferences | undefined;
}) {
  if (!code || code.references.length === 0) return <span class="soft">none known</span>;
  return (
    <ul>
      {code.references.slice(0, SHOWN_LINES).map(({ filePath, lineNumber }) => (
        <li>
          <code>
            {filePath}:{lineNumber}
          </code>
        </li>
      ))}
      <li>
        <A to={`${flagPath(project, slug)}/code`} label={`All lines that name ${slug}`}>
          All lines
        </A>
      </li>
    </ul>
  );
}
