import type { Setup, SetupProject } from "../../documents/setup.ts";
import type { Project } from "../../projects/project.ts";
import { experimentsOfEnvironment } from "./experiments/experiments.ts";
import { flagRecords } from "./flags.ts";
import { formRecords } from "./forms.ts";
import { findProject, listProjects } from "./projects.ts";
import { rampsOfEnvironment } from "./ramps.ts";
import { environmentRow } from "./rows.ts";
import { segmentsOfEnvironment } from "./segments.ts";
import type { Work } from "./work.ts";

/** The given projects that exist, or with null all of them, and the forms. */
function* readSetup(projects: string[] | null, forms: boolean): Work<Setup> {
  const found: SetupProject[] = [];
  for (const project of yield* findProjects(projects)) found.push(yield* setupOf(project));
  return { projects: found, forms: forms ? yield* formRecords() : [] };
}

function* findProjects(slugs: string[] | null): Work<Project[]> {
  if (slugs === null) return yield* listProjects();
  const found: Project[] = [];
  for (const slug of slugs) {
    const project = yield* findProject(slug);
    if (project) found.push(project);
  }
  return found;
}

function* setupOf({ key: _key, environments, ...project }: Project): Work<SetupProject> {
  const all: SetupProject["environments"] = [];
  for (const environment of environments) {
    const { id } = yield* environmentRow(project.slug, environment.slug);
    const [flags, segments] = [yield* flagRecords(id), yield* segmentsOfEnvironment(id)];
    const ramps = new Map((yield* rampsOfEnvironment(id)).map((found) => [found.ramp.flag, found]));
    const experiments = yield* experimentsOfEnvironment(id);
    all.push({ ...environment, flags, segments, ramps, experiments });
  }
  return { ...project, environments: all };
}

export const setup = { readsAtOnce: { read: readSetup } };
