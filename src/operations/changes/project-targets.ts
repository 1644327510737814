import { noSuchTarget, parseTarget } from "../../delivery/target.ts";
import {
  addProjectTarget,
  deleteProjectTarget,
  listProjectTargets,
} from "../../documents/changes/targets.ts";
import { addNoticeTarget, listNoticeTargets } from "../../projects/notice-targets.ts";
import { hasScope } from "../../access/rights.ts";
import { noun } from "../operation.ts";
import { mailWarnings } from "../results.ts";

const ALL = "/projects/:project/targets";

const shared = { scope: "admin", place: "project", confirms: false } as const;

/** Targets of a project: webhooks that get its proposed changes, and targets that get its notices. */
export const projectTargets = noun("targets", () => import("../schema/project-targets-schema.ts"), {
  list: {
    ...shared,
    scope: "flags:read",
    method: "GET",
    path: ALL,
    summary:
      "List the targets of a project, oldest first, with masked URLs; to administrators the webhooks on changes too",
    run: async ({ app, caller, names: { project } }) => {
      const notified = await listNoticeTargets(app, caller, project);
      const isAdmin = hasScope(caller, "admin", { project });
      return { targets: [...notified, ...(isAdmin ? await listProjectTargets(app, caller, project) : [])] };
    },
  },
  add: {
    ...shared,
    scope: "flags:write",
    method: "POST",
    path: ALL,
    summary:
      "Add a target that gets the notices of a project, or a webhook on proposed changes; the secret of a webhook is shown once",
    status: 201,
    run: async ({ app, deployment, caller, names: { project }, body: { on, ...body } }) => {
      const outgoing = await deployment.outgoing();
      if (on !== undefined) return addProjectTarget(app, caller, project, body.target, outgoing);
      const added = await addNoticeTarget(app, caller, project, body, outgoing);
      return { ...added, ...(await mailWarnings(deployment, parseTarget(body.target).kind === "mail")) };
    },
  },
  get: {
    ...shared,
    method: "GET",
    path: `${ALL}/:target`,
    summary: "Get a webhook on the changes of a project, with a masked URL",
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
    summary: "Delete a webhook on the changes of a project",
    run: ({ app, caller, names }) => deleteProjectTarget(app, caller, names.project, names.target),
  },
});
