import { overviewOfFlags } from "../../../flags/overviews.ts";
import { viewExperiment } from "../../../experiments/experiment.ts";
import { EXPERIMENT_LIMITS } from "../../../experiments/limits.ts";
import { createExperiment } from "../../../experiments/experiments.ts";
import { settled } from "../../../experiments/plan.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import { listForms } from "../../../forms/forms.ts";
import { hasScope } from "../../../access/rights.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import type { Page } from "../page.tsx";
import { confirmed } from "../parts/confirm.tsx";
import { faultAt, submit } from "../parts/submit.ts";
import { EXPERIMENTS, NEW_EXPERIMENT, experimentPath, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { BLANK, designOf, typedIn } from "./design.ts";
import { type Suggestions, newExperimentPage } from "./design-form.tsx";
import { type Listed, experimentsPage } from "./list-page.tsx";

/** Experiments on one page of an environment, and those of each of a project's first environments side by side. */
const PAGE = 50;
const ENVIRONMENTS = 20;
/** Flags and forms that a form suggests. */
const SUGGESTED = 200;

export function experimentsRoutes({ app, get, post }: Dashboard) {
  get(EXPERIMENTS, "flags:read", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const [environment, flag] = [c.req.query("environment") || null, c.req.query("flag")?.trim() || null];
    const after = c.req.query("after") || undefined;
    const listed = await list(app, project, { environment, flag, after });
    return experimentsPage({ project, environment, flag, after, ...listed });
  });
  get(NEW_EXPERIMENT, "flags:write", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    const [environment, flag] = [c.req.query("environment"), c.req.query("flag") ?? ""];
    const typed = { ...BLANK, environment: environment ?? project.environments[0]?.slug ?? "", flag };
    return newExperimentPage({
      project,
      typed,
      faults: {},
      ...(await suggest(app, c.get("caller"), project.slug)),
    });
  });
  post(NEW_EXPERIMENT, "flags:write", async (c, fields, parameters) => {
    const project = await getProject(app, parameters.project);
    const typed = typedIn(fields);
    const caller = c.get("caller");
    return submit(
      async () => {
        if (typed.environment === "") throw faultAt("environment", "choose an environment");
        const environment = await getEnvironment(app, project.slug, typed.environment);
        const { name, ...design } = designOf(typed);
        const place = { project: project.slug, environment: environment.slug, experiment: name };
        const done = await confirmed(
          fields,
          () => createExperiment(app, caller, place, design),
          async () => ({
            title: `Confirm: experiment ${name} in ${environment.slug}, ${project.slug}`,
            label: `Create ${name} in ${environment.slug}`,
            environments: [environment],
            change: <p>A draft changes no flag.</p>,
            back: { to: pathTo(EXPERIMENTS, { project: project.slug }), label: "Experiments" },
          }),
        );
        if ("content" in done) return done;
        return { to: experimentPath(place), text: `The experiment ${name} is created as a draft.` };
      },
      async (faults): Promise<Page> =>
        newExperimentPage({ project, typed, faults, ...(await suggest(app, caller, project.slug)) }),
      FAULTS,
    );
  });
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
  const found: Listed[] = [];
  let more = false;
  for (const each of shown) {
    const page = await store.experiments.page(slug, each.slug, { limit, after });
    found.push(...page.items.map((item) => viewExperiment(settled(item))));
    more ||= page.more;
  }
  const experiments = flag === null ? found : found.filter((each) => each.flag === flag);
  const next = more && environment !== null ? (found.at(-1)?.name ?? null) : null;
  return { experiments, next, isCut: more && environment === null };
}

async function suggest(app: App, caller: Caller, project: string): Promise<Suggestions> {
  const { items } = await overviewOfFlags(app, project, { limit: SUGGESTED });
  const forms = hasScope(caller, "forms:read", { project }) ? await listForms(app, caller, project) : [];
  return {
    flags: items.map(({ slug }) => slug),
    metrics: forms.slice(0, SUGGESTED).map(({ slug }) => `submissions:${slug}`),
  };
}
