import { MAX_LIST, nextOf } from "../base/pages.ts";
import { settled } from "../experiments/plan.ts";
import { viewExperiment } from "../experiments/experiment.ts";
import { noun } from "./operation.ts";

const ALL = "/projects/:project/environments/:environment/experiments";
const ONE = `${ALL}/:experiment` as const;

const read = { scope: "flags:read", place: "environment" } as const;
const write = { scope: "flags:write", place: "environment" } as const;

/** Comparisons of the variants of a flag by what visitors do. */
export const experiments = noun("experiments", () => import("./schema/experiments-schema.ts"), {
  list: {
    ...read,
    method: "GET",
    path: ALL,
    summary: "List the experiments of an environment by name",
    defaults: { limit: MAX_LIST },
    run: async ({ app, names: { project, environment }, query }) => {
      const page = await app.store.experiments.page(project, environment, query);
      const next = nextOf(page, ({ experiment }) => experiment.name);
      return { experiments: page.items.map((found) => viewExperiment(settled(found))), next };
    },
  },
  create: {
    ...write,
    method: "POST",
    path: ALL,
    summary: "Create an experiment as a draft, which changes no flag",
    status: 201,
    run: async ({ app, caller, names, body: { name, ...design } }) => {
      const { createExperiment } = await import("../experiments/experiments.ts");
      return viewExperiment(await createExperiment(app, caller, { ...names, experiment: name }, design));
    },
  },
  get: {
    ...read,
    method: "GET",
    path: ONE,
    summary: "Get an experiment",
    run: async ({ app, names }) => {
      const { getExperiment } = await import("../experiments/experiments.ts");
      return viewExperiment(await getExperiment(app, names));
    },
  },
  set: {
    ...write,
    method: "PATCH",
    path: ONE,
    summary: "Change a draft, or the hypothesis of an experiment that was started",
    run: async ({ app, caller, names, body }) => {
      const { patchExperiment } = await import("../experiments/experiments.ts");
      return viewExperiment(await patchExperiment(app, caller, names, body));
    },
  },
  delete: {
    ...write,
    method: "DELETE",
    path: ONE,
    summary: "Delete an experiment that does not hold its flag, with its results",
    run: async ({ app, caller, names }) => {
      const { deleteExperiment } = await import("../experiments/experiments.ts");
      await deleteExperiment(app, caller, names);
    },
  },
  start: {
    ...write,
    method: "POST",
    path: `${ONE}/start`,
    tool: "experiments_start",
    summary: "Start an experiment: split the users of the flag, and count",
    proposes: true,
    run: async ({ app, caller, names }) => {
      const { startExperiment } = await import("../experiments/lifecycle.ts");
      return viewExperiment(await startExperiment(app, caller, names));
    },
  },
  pause: {
    ...write,
    method: "POST",
    path: `${ONE}/pause`,
    summary: "Pause an experiment; it leaves the flag as it is, and needs no approval",
    run: async ({ app, caller, names }) => {
      const { pauseExperiment } = await import("../experiments/lifecycle.ts");
      return viewExperiment(await pauseExperiment(app, caller, names));
    },
  },
  resume: {
    ...write,
    method: "POST",
    path: `${ONE}/resume`,
    summary: "Let a paused experiment go on with its split",
    proposes: true,
    run: async ({ app, caller, names }) => {
      const { resumeExperiment } = await import("../experiments/lifecycle.ts");
      return viewExperiment(await resumeExperiment(app, caller, names));
    },
  },
  stop: {
    ...write,
    method: "POST",
    path: `${ONE}/stop`,
    summary: "End an experiment, and restore its flag unless the flag was changed since",
    proposes: true,
    run: async ({ app, caller, names }) => {
      const { stopExperiment } = await import("../experiments/lifecycle.ts");
      return viewExperiment(await stopExperiment(app, caller, names));
    },
  },
  ship: {
    ...write,
    method: "POST",
    path: `${ONE}/ship`,
    summary: "End an experiment and serve one variant to everyone, at once or by a ramp",
    proposes: true,
    run: async ({ app, caller, names, body }) => {
      const { shipExperiment } = await import("../experiments/shipping.ts");
      return viewExperiment(await shipExperiment(app, caller, names, body));
    },
  },
  results: {
    ...read,
    method: "GET",
    path: `${ONE}/results`,
    summary: "Get the results of an experiment",
    run: async ({ app, names }) => {
      const { readResults } = await import("../experiments/results.ts");
      return readResults(app, names);
    },
  },
});
