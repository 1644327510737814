import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { FIELDS } from "../../../flags/flag-fields.ts";
import { MAX_DESCRIPTION } from "../../../flags/limits.ts";
import { flags } from "../../../operations/flags.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { Diff } from "../parts/diff.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Pager } from "../parts/list.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { flagPath, PROJECT, projectPath } from "../paths.ts";
import { ProjectTabs } from "../project/project-page.tsx";
import type { Dashboard, Sent } from "../routes.ts";
import { addressOf, useMay } from "../view.ts";
import { FlagTable, MAX_COLUMNS, NoFlags, type Row } from "./flag-table.tsx";
import {
  filesNaming,
  flagsInLanes,
  type Lane,
  type LaneFlag,
  LANES,
  reasonsInWords,
  recentReads,
} from "./lanes.ts";
import { proposedIn } from "./proposed.tsx";
import { Ticked, tickedRoutes } from "./ticked.tsx";
import { chosenFlags, filterIn, Toolbar } from "./toolbar.tsx";

/** Flags on one page if there are at most five environments: 1,500 elements with three. A page is limited by its cells. */
const PAGE = 40;
const CELLS = 200;

export function projectFlagsRoutes(dashboard: Dashboard) {
  const { app, act, get, post } = dashboard;
  tickedRoutes(dashboard);
  const show = async (c: DashboardContext, slug: string, typed: Typed | null = null) =>
    projectPage({ ...(await readList(app, c, slug)), typed });
  const flagIn = ({ fields }: Pick<Sent<unknown>, "fields">) => ({
    flag: textOf(fields, "flag").trim(),
    description: textOf(fields, "description").trim(),
  });
  /** A new flag is off everywhere, so any environment will do. Throws `invalid`. */
  const placeIn = async (project: string): Promise<Environment> => {
    const { environments } = await getProject(app, project);
    const environment = environments.find(({ locked }) => !locked) ?? environments[0];
    if (!environment) throw new AppError("invalid", "add an environment to the project first");
    return environment;
  };

  get(PROJECT, "flags:read", (c, { project }) => show(c, project));
  get(`${PROJECT}/stale`, "flags:read", async (c, { project }) =>
    c.redirect(addressOf(dashboard, projectPath(project), { stale: 1 }), 302),
  );
  post(
    `${PROJECT}/flags`,
    "flags:write",
    act({
      operation: flags.set,
      async input({ fields, names: { project } }) {
        const { flag, description } = flagIn({ fields });
        const { slug: environment } = await placeIn(project);
        return { names: { project, environment, flag }, body: { description }, revision: 0 };
      },
      done: ({ slug }, { names: { project } }) => ({
        to: flagPath(project, slug),
        text: `The flag ${slug} is created.`,
      }),
      async confirm({ fields, names: { project } }) {
        const { flag, description } = flagIn({ fields });
        return {
          title: `Confirm: create ${flag} in ${project}`,
          label: `Create ${flag}`,
          environments: [await placeIn(project)],
          change: <Diff before={{}} after={{ enabled: false, description }} />,
          back: { to: projectPath(project), label: project },
        };
      },
      again({ c, fields, names: { project } }, faults, { code }) {
        const taken = { flag: "There is a flag of this name already." };
        return show(c, project, { fields, faults: code === "conflict" ? taken : faults });
      },
      at: { invalid: "flag", conflict: "flag" },
    }),
  );
}

/** The flags of a page of the list, with what its filters show. */
async function readList(app: App, c: DashboardContext, slug: string) {
  const caller = c.get("caller");
  const project = await getProject(app, slug);
  const [search, after] = [searchIn(c), c.req.query("after") || null];
  const filter = filterIn((name) => c.req.query(name) ?? "");
  const [{ flags: all, code }, reads, proposed] = await Promise.all([
    flagsInLanes(app, project),
    recentReads(app, caller, slug),
    proposedIn(app, project),
  ]);
  const chosen = await chosenFlags(app, caller, slug, all, { search, filter });
  const columns = Math.min(MAX_COLUMNS, project.environments.length);
  const limit = Math.min(PAGE, Math.floor(CELLS / Math.max(1, columns)));
  const start = after === null ? 0 : placeBehind(chosen, all, after);
  const shown = chosen.slice(start, start + limit);
  const rowOf = async (flag: LaneFlag): Promise<Row> => {
    const files = flag.verdict ? await filesNaming(app, slug, flag.slug, code) : null;
    const why = flag.verdict ? reasonsInWords(flag.verdict, files, app.now()) : null;
    return { flag, why, reads: reads.get(flag.slug), proposed: proposed.get(flag.slug) };
  };
  const rows = await Promise.all(shown.map(rowOf));
  const current = all.filter(({ archived }) => !archived);
  return {
    project,
    search,
    filter,
    after,
    rows,
    lanes: Object.fromEntries(
      Object.keys(LANES).map((lane) => [lane, chosen.filter((each) => each.lane === lane).length]),
    ) as Record<Lane, number>,
    counts: {
      all: current.length,
      mine: current.filter(({ owner }) => owner === caller.name).length,
      differs: current.filter((each) => each.differs).length,
      unread: current.filter(({ isUnread }) => isUnread).length,
      archived: all.length - current.length,
    },
    next: start + limit < chosen.length ? shown.at(-1)!.slug : null,
  };
}

/** The place behind a flag in the order of lanes, also of one that a filter does not show any more. */
function placeBehind(chosen: readonly LaneFlag[], all: readonly LaneFlag[], after: string): number {
  const places = new Map(all.map(({ slug }, at) => [slug, at]));
  const last = places.get(after);
  const at = chosen.findIndex(({ slug }) => (last === undefined ? slug > after : places.get(slug)! > last));
  return at < 0 ? chosen.length : at;
}

type Props = Awaited<ReturnType<typeof readList>> & { typed: Typed | null };

/** The flags of a project in each of its environments. */
function projectPage(props: Props): Page {
  const { project, typed } = props;
  const { slug, name, environments } = project;
  const [first] = environments;
  const place = { p: slug, e: first?.slug };
  const isFirst = isEmpty(props);
  return {
    title: `Flags, ${slug}`,
    heading: name === slug ? slug : <Foreign text={name} />,
    section: "flags",
    back: { to: "/projects", label: "Projects" },
    topics: ["setup"],
    ...(typed && { status: 422 as const }),
    ...(!isFirst && { actions: <NewFlag project={project} typed={typed} /> }),
    commands: [
      ["List the flags of an environment", "flags list", place],
      ["Create one, which is off until it is turned on", "flags set", "new-checkout", place],
      {
        label: "Write all of it to a file, and apply it elsewhere",
        text: `${formflag("export", { p: slug })} > ${slug}.yaml\nformflag apply -f ${slug}.yaml`,
      },
    ],
    content: <Flags {...props} />,
  };
}

/** Whether a project has no flags at all. */
function isEmpty({ counts }: Props): boolean {
  return counts.all + counts.archived === 0;
}

function Flags(props: Props) {
  const { project, rows, search, filter, after, next, typed, lanes } = props;
  const path = projectPath(project.slug);
  const isFirst = isEmpty(props);
  const isFiltered = search !== "" || Object.values(filter).some((value) => value !== "");
  const query = { q: search, ...filter };
  const { length: all } = project.environments;
  const hasTicks = useMay("flags:write");
  return (
    <>
      <ProjectTabs project={project.slug} current="flags" />
      {!isFirst && <Toolbar {...props} />}
      {all > MAX_COLUMNS && (
        <p class="soft">
          The first {MAX_COLUMNS} of {all.toLocaleString("en")} environments. A flag's page shows all of them.
        </p>
      )}
      {rows.length > 0 ? (
        <FlagTable
          project={project}
          rows={rows}
          counts={lanes}
          query={{ ...query, after }}
          hasTicks={hasTicks}
        />
      ) : (
        <NoFlags project={project} isFiltered={isFiltered} after={after} />
      )}
      {hasTicks && rows.length > 0 && <Ticked project={project} />}
      <Pager to={path} query={query} isLater={after !== null} next={next !== null && { after: next }} />
      {isFirst && <NewFlag project={project} typed={typed} isFirst />}
    </>
  );
}

function NewFlag({
  project,
  typed,
  isFirst = false,
}: {
  project: Project;
  typed: Typed | null;
  /** Whether there are no others yet. */
  isFirst?: boolean;
}) {
  if (!useMay("flags:write") || project.environments.length === 0) return null;
  const form = (
    <Form
      to={`${projectPath(project.slug)}/flags`}
      class={isFirst ? "card narrow" : ""}
      label="New flag"
      id="new-flag-form"
    >
      <TextField
        {...typedAt(typed, "flag")}
        id="new-flag-name"
        label="Name"
        hint="As code reads it, such as new-checkout. It cannot be changed later."
        maxlength={150}
        required
      />
      <TextField
        {...typedAt(typed, "description")}
        label={FIELDS.description.label}
        maxlength={MAX_DESCRIPTION}
      />
      <WhyField id="new-flag-why" value={typedAt(typed, "why").value} />
      <p class="buttons">
        <Button kind="primary">Create flag</Button>
        <span class="soft small">Off in every environment.</span>
      </p>
    </Form>
  );
  if (isFirst) return <div id="new-flag">{form}</div>;
  return (
    <details class="ask" open={typed !== null} id="new-flag">
      <summary class="button primary" aria-keyshortcuts="c">
        <Icon name="plus" />
        New flag
      </summary>
      {form}
    </details>
  );
}
