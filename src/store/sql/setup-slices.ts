import type { Store } from "../../app.ts";
import { listEnvironments } from "./environments.ts";
import { findProject, listProjects, pageProjects } from "./projects.ts";
import type { Runner } from "./writes.ts";

/** The slices of projects and flags. */
export function setupSlices({ read }: Runner): Pick<Store, "projects" | "environments"> {
  return {
    projects: {
      list: () => read(listProjects),
      page: (query) => read(() => pageProjects(query)),
      find: (slug) => read(() => findProject(slug)),
    },
    environments: {
      list: (project) => read(() => listEnvironments(project)),
    },
  };
}
