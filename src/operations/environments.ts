import { createEnvironment } from "../flags/environments.ts";
import { deleteEnvironment, getEnvironment, setEnvironment } from "../projects/environments.ts";
import { noun } from "./operation.ts";
import { created, updated } from "./results.ts";

const ALL = "/projects/:project/environments";
const ONE = "/projects/:project/environments/:environment";

export const environments = noun("environments", () => import("./schema/environments-schema.ts"), {
  list: {
    method: "GET",
    path: ALL,
    summary: "List the environments of a project",
    scope: "flags:read",
    place: "project",
    run: async ({ app, names }) => ({ environments: await app.store.environments.list(names.project) }),
  },
  create: {
    method: "POST",
    path: ALL,
    summary: "Create an environment",
    scope: "admin",
    place: "project",
    status: 201,
    confirms: false,
    run: async ({ app, caller, names, body }) =>
      created(await createEnvironment(app, caller, names.project, body)),
  },
  get: {
    method: "GET",
    path: ONE,
    summary: "Get an environment",
    scope: "flags:read",
    place: "environment",
    run: ({ app, names }) => getEnvironment(app, names.project, names.environment),
  },
  set: {
    method: "PATCH",
    path: ONE,
    summary:
      "Lock or unlock an environment, or give it another name, color, number of approvals, factor of them or place",
    scope: "admin",
    place: "environment",
    run: async ({ app, caller, names, body }) => {
      const set = await setEnvironment(app, caller, names.project, names.environment, body);
      return updated(set.environment, set.result);
    },
  },
  delete: {
    method: "DELETE",
    path: ONE,
    summary: "Delete an environment and its flag values",
    scope: "admin",
    place: "environment",
    run: ({ app, caller, names }) => deleteEnvironment(app, caller, names.project, names.environment),
  },
});
