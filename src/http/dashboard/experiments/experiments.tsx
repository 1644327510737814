import { overviewOfFlags } from "../../../flags/overviews.ts";
import { experiments } from "../../../operations/experiments.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { readMetrics } from "../flags/screen.tsx";
import { type Faults, faultAt } from "../parts/submit.ts";
import { NEW_EXPERIMENT, RELEASES, experimentPath, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import {
  BLANK,
  type Design,
  type Suggestions,
  designOf,
  newExperimentPage,
  typedIn,
} from "./design-form.tsx";

/** Flags and forms that a form suggests. */
const SUGGESTED = 200;

export function experimentsRoutes({ app, get, post, act }: Dashboard) {
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
          back: { to: pathTo(RELEASES, { project }), label: "Releases" },
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
