import type { Database } from "bun:sqlite";
import type { Setup, SetupProject } from "../../documents/setup.ts";
import type { Project } from "../../projects/project.ts";
import { listFlags } from "./flags.ts";
import { formRecords } from "./forms.ts";
import { findProject, listProjects } from "../sql/projects.ts";
import { environmentRow } from "../sql/rows.ts";
import { segmentsOfEnvironment } from "./segments.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

export function readSetup(db: Database, projects: string[] | null, forms: boolean): Setup {
  query(db, "BEGIN").run();
  try {
    const found =
      projects === null
        ? runWork(db, listProjects())
        : projects.flatMap((slug) => runWork(db, findProject(slug)) ?? []);
    return {
      projects: found.map((project) => setupOf(db, project)),
      forms: forms ? formRecords(db) : [],
    };
  } finally {
    query(db, "ROLLBACK").run();
  }
}

function setupOf(db: Database, { slug: project, name, environments }: Project): SetupProject {
  return {
    slug: project,
    name,
    environments: environments.map((environment) => ({
      ...environment,
      flags: listFlags(db, project, environment.slug),
      segments: segmentsOfEnvironment(db, runWork(db, environmentRow(project, environment.slug)).id),
    })),
  };
}
