import { MAX_LIST, nextOf } from "../base/pages.ts";
import { createProject, getProject, listProjects, setProject, usageOf } from "../projects/projects.ts";
import { noun } from "./operation.ts";
import { created, updated } from "./results.ts";

export const projects = noun("projects", () => import("./schema/projects-schema.ts"), {
  list: {
    method: "GET",
    path: "/projects",
    tool: "overview",
    summary: "List projects",
    scope: "flags:read",
    place: "seen",
    defaults: { limit: MAX_LIST },
    run: async ({ app, caller, query }) => {
      const page = await listProjects(app, caller, query);
      return { projects: page.items, next: nextOf(page, ({ slug }) => slug) };
    },
  },
  create: {
    method: "POST",
    path: "/projects",
    summary: "Create a project",
    scope: "admin",
    place: "instance",
    status: 201,
    run: async ({ app, caller, body }) => created(await createProject(app, caller, body)),
  },
  get: {
    method: "GET",
    path: "/projects/:project",
    summary: "Get a project",
    scope: "flags:read",
    place: "project",
    run: async ({ app, caller, names: { project } }) => ({
      ...(await getProject(app, project)),
      usage: await usageOf(app, caller, project),
    }),
  },
  set: {
    method: "PATCH",
    path: "/projects/:project",
    summary: "Change the settings of a project",
    scope: "admin",
    place: "project",
    confirms: false,
    run: async ({ app, caller, names, body }) => {
      const { project, result } = await setProject(app, caller, names.project, body);
      return updated(project, result);
    },
  },
  delete: {
    method: "DELETE",
    path: "/projects/:project",
    summary: "Delete a project, its environments, flags and forms",
    scope: "admin",
    place: "project",
    run: async ({ app, caller, names }) => {
      const { deleteProject } = await import("../forms/keeping/project-deletion.ts");
      return deleteProject(app, caller, names.project);
    },
  },
});
