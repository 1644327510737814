import { noSuchTarget } from "../../delivery/target.ts";
import {
  addProjectTarget,
  deleteProjectTarget,
  listProjectTargets,
} from "../../documents/changes/targets.ts";
import { noun } from "../operation.ts";

const ALL = "/projects/:project/targets";

const shared = { scope: "admin", place: "project", confirms: false } as const;

/** Webhooks that get the changes of a project. */
export const projectTargets = noun("targets", () => import("../schema/project-targets-schema.ts"), {
  list: {
    ...shared,
    method: "GET",
    path: ALL,
    summary: "List the webhooks that get the changes of a project, oldest first, with masked URLs",
    run: async ({ app, caller, names }) => ({
      targets: await listProjectTargets(app, caller, names.project),
    }),
  },
  add: {
    ...shared,
    method: "POST",
    path: ALL,
    summary: "Add a webhook that gets the changes of a project; its secret is shown once",
    status: 201,
    run: async ({ app, deployment, caller, names, body }) =>
      addProjectTarget(app, caller, names.project, body.target, await deployment.outgoing()),
  },
  get: {
    ...shared,
    method: "GET",
    path: `${ALL}/:target`,
    summary: "Get a webhook of a project, with a masked URL",
    run: async ({ app, caller, names: { project, target } }) => {
      const found = (await listProjectTargets(app, caller, project)).find(({ id }) => id === target);
      if (!found) throw noSuchTarget(target);
      return found;
    },
  },
  delete: {
    ...shared,
    method: "DELETE",
    path: `${ALL}/:target`,
    summary: "Delete a webhook of a project",
    run: ({ app, caller, names }) => deleteProjectTarget(app, caller, names.project, names.target),
  },
});
