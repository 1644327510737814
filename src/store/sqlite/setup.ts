import type { Database } from "bun:sqlite";
import type { Setup, SetupProject } from "../../documents/setup.ts";
import type { Project } from "../../projects/project.ts";
import { listFlags } from "./flags.ts";
import { formRecords } from "./forms.ts";
import { findProject, listProjects } from "./projects.ts";
import { environmentRow } from "./rows.ts";
import { segmentsOfEnvironment } from "./segments.ts";
import { query } from "./statements.ts";

export function readSetup(db: Database, projects: string[] | null, forms: boolean): Setup {
  query(db, "BEGIN").run();
  try {
    const found =
      projects === null ? listProjects(db) : projects.flatMap((slug) => findProject(db, slug) ?? []);
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
      segments: segmentsOfEnvironment(db, environmentRow(db, project, environment.slug).id),
    })),
  };
}
