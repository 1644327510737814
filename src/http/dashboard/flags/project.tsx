import { flags } from "../../../operations/flags.ts";
import { AppError } from "../../../base/errors.ts";
import { setFlag } from "../../../flags/flags.ts";
import { type FlagOverview, overviewOfFlags } from "../../../flags/overviews.ts";
import { readsByHour } from "../../../flags/reads/served.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { confirmed } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Pager } from "../parts/list.tsx";
import { Search } from "../parts/search.tsx";
import { submit } from "../parts/submit.ts";
import { PROJECT, flagPath, projectPath } from "../paths.ts";
import { ProjectTabs } from "../project/project-page.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";
import { type RateOf, ratesOf } from "./flag-facts.tsx";
import { type Filter, FlagFilters, filterIn, selectionOf } from "./filters.tsx";
import { MAX_COLUMNS, NoFlags, type Sparks } from "./flag-table.tsx";
import { TickedFlags, tickedRoutes } from "./ticked.tsx";

/** Flags on one page if there are at most five environments: 1,500 elements with three. A page is limited by its cells. */
const PAGE = 40;
const CELLS = 200;

export function projectFlagsRoutes(dashboard: Dashboard) {
  const { app, get, post } = dashboard;
  tickedRoutes(dashboard);
  const show = async (c: DashboardContext, slug: string, draft: NewFlagDraft | null = null) => {
    const project = await getProject(app, slug);
    const search = searchIn(c);
    const after = c.req.query("after") || null;
    const environments = project.environments.slice(0, MAX_COLUMNS);
    const limit = Math.min(PAGE, Math.floor(CELLS / Math.max(1, environments.length)));
    const filter = filterIn((name) => c.req.query(name) ?? "");
    const { items, more } = await overviewOfFlags(app, project.slug, {
      search,
      after: after ?? undefined,
      limit,
      ...(await selectionOf(app, c.get("caller"), project.slug, filter)),
    });
    const [first, last] = [items[0]?.slug, items.at(-1)?.slug];
    const rateOf =
      first === undefined
        ? () => 0
        : await ratesOf(app, c.get("caller"), { project: project.slug, environments }, first, last);
    const sparks = new Map<string, Map<string, number[]>>();
    if (first !== undefined)
      for (const { slug: environment, key } of environments) {
        const place = { project: project.slug, environment, key };
        sparks.set(environment, await readsByHour(app, c.get("caller"), place, { first, last: last! }));
      }
    return projectPage({
      project,
      flags: items,
      rateOf,
      sparks,
      search,
      filter,
      after,
      next: more ? last! : null,
      draft,
    });
  };

  get(PROJECT, "flags:read", (c, { project }) => show(c, project));
  post(`${PROJECT}/flags`, "flags:write", async (c, fields, parameters) => {
    const { slug: project, environments } = await getProject(app, parameters.project);
    const flag = textOf(fields, "flag").trim();
    const description = textOf(fields, "description").trim();
    // A new flag is off everywhere, so any environment will do.
    const environment = environments.find(({ locked }) => !locked) ?? environments[0];
    if (!environment) throw new AppError("invalid", "add an environment to the project first");
    const place = { project, environment: environment.slug, flag };
    return submit(
      async () => {
        const done = await confirmed(
          fields,
          () => setFlag(app, c.get("caller"), place, { description }, 0),
          async () => ({
            title: `Confirm: create ${flag} in ${project}`,
            label: `Create ${flag}`,
            environments: [environment],
            change: <Diff before={{}} after={{ enabled: false, description }} />,
            back: { to: projectPath(project), label: project },
          }),
          { app, caller: c.get("caller"), operation: flags.set, names: place, body: { description } },
        );
        if ("content" in done) return done;
        return { to: flagPath(project, flag), text: `The flag ${flag} is created.` };
      },
      ({ flag: fault = "" }, { code }) => {
        const typed = { flag, description, why: textOf(fields, "why") };
        return show(c, project, {
          ...typed,
          fault: code === "conflict" ? "There is a flag of this name already." : fault,
        });
      },
      { invalid: "flag", conflict: "flag" },
    );
  });
}

/** Form values of a new flag, with their error. */
type NewFlagDraft = { flag: string; description: string; why: string; fault: string };

type Props = {
  project: Project;
  flags: readonly FlagOverview[];
  rateOf: RateOf;
  sparks: Sparks;
  search: string;
  filter: Filter;
  after: string | null;
  next: string | null;
  draft: NewFlagDraft | null;
};

/** The flags of a project in each of its environments. */
function projectPage(props: Props): Page {
  const { slug, name } = props.project;
  const [first] = props.project.environments;
  const place = { p: slug, e: first?.slug };
  return {
    title: `Flags, ${slug}`,
    heading: name === slug ? slug : <Foreign text={name} />,
    section: "flags",
    back: { to: "/projects", label: "Projects" },
    topics: ["setup"],
    ...(props.draft && { status: 422 as const }),
    commands: [
      { label: "List the flags of an environment", text: formflag("flags list", place) },
      {
        label: "Create one, which is off until it is turned on",
        text: formflag("flags set", "new-checkout", place),
      },
      {
        label: "Write all of it to a file, and apply it elsewhere",
        text: `${formflag("export", { p: slug })} > ${slug}.yaml\nformflag apply -f ${slug}.yaml`,
      },
    ],
    content: <Flags {...props} />,
  };
}

function Flags(props: Props) {
  const { project, flags, search, filter, after, next, draft } = props;
  const path = projectPath(project.slug);
  const isFiltered = search !== "" || Object.values(filter).some((value) => value !== "");
  const isFirst = flags.length === 0 && !isFiltered && after === null;
  const { length: all } = project.environments;
  return (
    <div class="stack">
      <ProjectTabs project={project.slug} current="flags" />
      {!isFirst && (
        <div class="toolbar">
          <Search to={path} search={search} label="Search flags" placeholder="Name or description" />
          <NewFlag project={project} draft={draft} />
        </div>
      )}
      {!isFirst && <FlagFilters project={project.slug} search={search} filter={filter} />}
      {all > MAX_COLUMNS && (
        <p class="soft">
          The first {MAX_COLUMNS} of {all.toLocaleString("en")} environments. A flag's page shows all of them.
        </p>
      )}
      {flags.length > 0 ? (
        <TickedFlags project={project} flags={flags} rateOf={props.rateOf} sparks={props.sparks} />
      ) : (
        <NoFlags project={project} isFiltered={isFiltered} after={after} />
      )}
      <Pager
        to={path}
        query={{ q: search, ...filter }}
        isLater={after !== null}
        next={next !== null && { after: next }}
      />
      {isFirst && <NewFlag project={project} draft={draft} isFirst />}
    </div>
  );
}

function NewFlag({
  project,
  draft,
  isFirst = false,
}: {
  project: Project;
  draft: NewFlagDraft | null;
  /** Whether there are no others yet. */
  isFirst?: boolean;
}) {
  if (!useMay("flags:write") || project.environments.length === 0) return null;
  return (
    <details open={isFirst || draft !== null} id="new-flag">
      <summary class="button primary" aria-keyshortcuts="c">
        <Icon name="plus" />
        Create a flag
      </summary>
      <Form
        to={`${projectPath(project.slug)}/flags`}
        class="card narrow"
        label="Create a flag"
        id="new-flag-form"
      >
        <TextField
          name="flag"
          id="new-flag-name"
          label="Name"
          hint="As code reads it: letters, digits, dots, dashes and underscores, such as new-checkout. It cannot be changed later."
          value={draft?.flag}
          error={draft?.fault}
          maxlength={150}
          required
        />
        <TextField name="description" label="Description" value={draft?.description} maxlength={2000} />
        <WhyField value={draft?.why} />
        <p class="buttons">
          <Button kind="primary" icon="plus">
            Create flag
          </Button>
          <span class="soft">It is off in every environment.</span>
        </p>
      </Form>
    </details>
  );
}
