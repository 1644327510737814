import { AppError } from "../../../base/errors.ts";
import { FIELDS } from "../../../flags/flag-fields.ts";
import { MAX_DESCRIPTION } from "../../../flags/limits.ts";
import { type FlagOverview, overviewOfFlags } from "../../../flags/overviews.ts";
import { readsByHour } from "../../../flags/reads/served.ts";
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
import { Pager, Search } from "../parts/list.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import { Foreign } from "../parts/text.tsx";
import { PROJECT, flagPath, projectPath } from "../paths.ts";
import { ProjectTabs } from "../project/project-page.tsx";
import type { Dashboard, Sent } from "../routes.ts";
import { useMay } from "../view.ts";
import { type Filter, FlagFilters, filterIn, selectionOf } from "./filters.tsx";
import { type RateOf, ratesOf } from "./flag-facts.tsx";
import { MAX_COLUMNS, NoFlags, type Sparks } from "./flag-table.tsx";
import { TickedFlags, tickedRoutes } from "./ticked.tsx";

/** Flags on one page if there are at most five environments: 1,500 elements with three. A page is limited by its cells. */
const PAGE = 40;
const CELLS = 200;

export function projectFlagsRoutes(dashboard: Dashboard) {
  const { app, act, get, post } = dashboard;
  tickedRoutes(dashboard);
  const show = async (c: DashboardContext, slug: string, typed: Typed | null = null) => {
    const caller = c.get("caller");
    const project = await getProject(app, slug);
    const search = searchIn(c);
    const after = c.req.query("after") || null;
    const environments = project.environments.slice(0, MAX_COLUMNS);
    const limit = Math.min(PAGE, Math.floor(CELLS / Math.max(1, environments.length)));
    const filter = filterIn((name) => c.req.query(name) ?? "");
    const { items, more } = await overviewOfFlags(app, slug, {
      search,
      after: after ?? undefined,
      limit,
      ...(await selectionOf(app, caller, slug, filter)),
    });
    const [first, last] = [items[0]?.slug, items.at(-1)?.slug];
    const readsOf = async ({ slug: environment, key }: Environment) => {
      const place = { project: slug, environment, key };
      return [environment, await readsByHour(app, caller, place, { first: first!, last: last! })] as const;
    };
    const [rateOf, sparks] =
      first === undefined
        ? [() => 0, []]
        : await Promise.all([
            ratesOf(app, caller, { project: slug, environments }, first, last),
            Promise.all(environments.map(readsOf)),
          ]);
    return projectPage({
      project,
      flags: items,
      rateOf,
      sparks: new Map(sparks),
      search,
      filter,
      after,
      next: more ? last! : null,
      typed,
    });
  };
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

type Props = {
  project: Project;
  flags: readonly FlagOverview[];
  rateOf: RateOf;
  sparks: Sparks;
  search: string;
  filter: Filter;
  after: string | null;
  next: string | null;
  typed: Typed | null;
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
    ...(props.typed && { status: 422 as const }),
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

function Flags(props: Props) {
  const { project, flags, search, filter, after, next, typed } = props;
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
          <NewFlag project={project} typed={typed} />
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
      {isFirst && <NewFlag project={project} typed={typed} isFirst />}
    </div>
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
  return (
    <details open={isFirst || typed !== null} id="new-flag">
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
          {...typedAt(typed, "flag")}
          id="new-flag-name"
          label="Name"
          hint="As code reads it: letters, digits, dots, dashes and underscores, such as new-checkout. It cannot be changed later."
          maxlength={150}
          required
        />
        <TextField
          {...typedAt(typed, "description")}
          label={FIELDS.description.label}
          maxlength={MAX_DESCRIPTION}
        />
        <WhyField value={typedAt(typed, "why").value} />
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
