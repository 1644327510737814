import {
  deleteTestContext,
  getTestContext,
  listTestContexts,
  setTestContext,
} from "../../flags/contexts/test-contexts.ts";
import type { TestContext } from "../../flags/contexts/test-context.ts";
import { noun } from "../operation.ts";

const ALL = "/projects/:project/people";
const ONE = "/projects/:project/people/:person";

export const contexts = noun("contexts", () => import("../schema/contexts-schema.ts"), {
  list: {
    method: "GET",
    path: ALL,
    summary: "List the test contexts of a project",
    scope: "flags:read",
    place: "project",
    run: async ({ app, caller, names }) => ({
      people: (await listTestContexts(app, caller, names.project)).map(view),
    }),
  },
  get: {
    method: "GET",
    path: ONE,
    summary: "Get a test context",
    scope: "flags:read",
    place: "project",
    run: async ({ app, caller, names }) =>
      view(await getTestContext(app, caller, names.project, names.person)),
  },
  set: {
    method: "PUT",
    path: ONE,
    summary: "Create a test context or change its values",
    scope: "flags:write",
    place: "project",
    run: async ({ app, caller, names, body }) => {
      const { context, result } = await setTestContext(app, caller, placeOf(names), body.context);
      return { ...view(context), result };
    },
  },
  delete: {
    method: "DELETE",
    path: ONE,
    summary: "Delete a test context",
    scope: "flags:write",
    place: "project",
    run: ({ app, caller, names }) => deleteTestContext(app, caller, placeOf(names)),
  },
});

function view({ name, context }: TestContext) {
  return { name, context };
}

function placeOf({ project, person: name }: { project: string; person: string }) {
  return { project, name };
}
