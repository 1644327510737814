import { overviewOfFlags } from "../../../flags/overviews.ts";
import { viewExperiment } from "../../../experiments/experiment.ts";
import { EXPERIMENT_LIMITS } from "../../../experiments/limits.ts";
import { settled } from "../../../experiments/plan.ts";
import { experiments } from "../../../operations/experiments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { readMetrics } from "../flags/screen.tsx";
import { type Faults, faultAt } from "../parts/submit.ts";
import { EXPERIMENTS, NEW_EXPERIMENT, experimentPath, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import {
  BLANK,
  type Design,
  type Suggestions,
  designOf,
  newExperimentPage,
  typedIn,
} from "./design-form.tsx";
import { type Listed, experimentsPage } from "./list-page.tsx";

/** Experiments on one page of an environment, and those of each of a project's first environments side by side. */
const PAGE = 50;
const ENVIRONMENTS = 20;
/** Flags and forms that a form suggests. */
const SUGGESTED = 200;

export function experimentsRoutes({ app, get, post, act }: Dashboard) {
  get(EXPERIMENTS, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const [environment, flag] = [c.req.query("environment") || null, c.req.query("flag")?.trim() || null];
    const after = c.req.query("after") || undefined;
    const listed = await list(app, project, { environment, flag, after });
    return experimentsPage({ project, environment, flag, after, ...listed });
  });
  const showNew = async (c: DashboardContext, slug: string, typed: Partial<Design>, faults: Faults = {}) => {
    const project = await getProject(app, slug);
    const first = { ...BLANK, environment: project.environments[0]?.slug ?? "" };
    const shown = { ...first, ...typed };
    const isThere = project.environments.some((each) => each.slug === shown.environment);
    const environment = isThere ? shown.environment : null;
    const suggestions = await suggest(app, c.get("caller"), { project: slug, environment });
    return newExperimentPage({ project, typed: shown, faults, ...suggestions });
  };
  get(NEW_EXPERIMENT, "flags:write", (c, { project }) => {
    const { environment, flag } = c.req.query();
    return showNew(c, project, { ...(environment !== undefined && { environment }), flag: flag ?? "" });
  });
  post(
    NEW_EXPERIMENT,
    "flags:write",
    act({
      operation: experiments.create,
      input({ fields, names: { project } }) {
        const typed = typedIn(fields);
        if (typed.environment === "") throw faultAt("environment", "choose an environment");
        return { names: { project, environment: typed.environment }, body: designOf(typed) };
      },
      async confirm({ fields, names: { project } }) {
        const { name, environment } = typedIn(fields);
        return {
          title: `Confirm: experiment ${name} in ${environment}, ${project}`,
          label: `Create ${name} in ${environment}`,
          environments: [await getEnvironment(app, project, environment)],
          change: <p>A draft changes no flag.</p>,
          back: { to: pathTo(EXPERIMENTS, { project }), label: "Experiments" },
        };
      },
      done: ({ name, environment }, { names: { project } }) => ({
        to: experimentPath({ project, environment, experiment: name }),
        text: `The experiment ${name} is created as a draft.`,
      }),
      again: ({ c, fields, names }, faults) => showNew(c, names.project, typedIn(fields), faults),
      at: FAULTS,
    }),
  );
}

/** The field at which a refusal stands. */
const FAULTS = {
  "experiment-exists": "name",
  "environment-not-found": "environment",
  "flag-not-found": "flag",
  "ramp-variant": "split",
  "experiment-control": "control",
  not_found: "metrics",
  conflict: "metrics",
  forbidden: "metrics",
  invalid: "flag",
};

/** The experiments of one environment, or the first of every one; of a flag, all. */
async function list(
  { store }: App,
  { slug, environments }: Project,
  {
    environment,
    flag,
    after,
  }: { environment: string | null; flag: string | null; after: string | undefined },
): Promise<{ experiments: Listed[]; next: string | null; isCut: boolean }> {
  const shown = environment === null ? environments.slice(0, ENVIRONMENTS) : [{ slug: environment }];
  const limit = flag === null ? PAGE : EXPERIMENT_LIMITS.experiments;
  const pages = await Promise.all(
    shown.map((each) => store.experiments.page(slug, each.slug, { limit, after })),
  );
  const found = pages.flatMap(({ items }) => items.map((item) => viewExperiment(settled(item))));
  const more = pages.some((page) => page.more);
  const experiments = flag === null ? found : found.filter((each) => each.flag === flag);
  const next = more && environment !== null ? (found.at(-1)?.name ?? null) : null;
  return { experiments, next, isCut: more && environment === null };
}

async function suggest(
  app: App,
  caller: Caller,
  place: { project: string; environment: string | null },
): Promise<Suggestions> {
  const [{ items }, metrics] = await Promise.all([
    overviewOfFlags(app, place.project, { limit: SUGGESTED }),
    readMetrics(app, caller, place),
  ]);
  return { flags: items.map(({ slug }) => slug), metrics };
}
