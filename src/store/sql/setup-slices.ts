import type { Store } from "../../app.ts";
import { listEnvironments } from "./environments.ts";
import { findChange, pageChanges, recentChanges } from "./history.ts";
import { findProject, listProjects, pageProjects } from "./projects.ts";
import { readSetup } from "./setup.ts";
import type { Runner } from "./writes.ts";

/** The slices of projects, their history and the setup as a whole. */
export function setupSlices({
  read,
  readAtOnce,
}: Runner): Pick<Store, "projects" | "environments" | "changes" | "setup"> {
  return {
    projects: {
      list: () => read(listProjects),
      page: (query) => read(() => pageProjects(query)),
      find: (slug) => read(() => findProject(slug)),
    },
    environments: {
      list: (project) => read(() => listEnvironments(project)),
    },
    changes: {
      page: (project, options) => read(() => pageChanges(project, options)),
      find: (project, revision) => read(() => findChange(project, revision)),
      recent: (since, limit) => read(() => recentChanges(since, limit)),
    },
    setup: {
      read: (projects, forms) => readAtOnce(() => readSetup(projects, forms)),
    },
  };
}
