import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import type { Setup, SetupChange, SetupProject } from "../../documents/setup.ts";
import type { Project } from "../../projects/project.ts";
import { deleteEnvironment, insertEnvironment, renameEnvironment } from "./environments.ts";
import { deleteFlag, listFlags, setFlag } from "./flags.ts";
import { deleteForm, formRecords, insertForm, updateForm } from "./forms.ts";
import { findProject, insertProject, listProjects, renameProject } from "./projects.ts";
import { environmentRow } from "./rows.ts";
import { deleteSegment, segmentsOfEnvironment, setSegment } from "./segments.ts";
import { query } from "./statements.ts";
import { currentVersion } from "./version.ts";

export function readSetup(db: Database, projects: string[] | null, forms: boolean): Setup {
  query(db, "BEGIN").run();
  try {
    const found =
      projects === null ? listProjects(db) : projects.flatMap((slug) => findProject(db, slug) ?? []);
    return {
      version: currentVersion(db),
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
    environments: environments.map(({ slug, name }) => ({
      slug,
      name,
      flags: listFlags(db, project, slug),
      segments: segmentsOfEnvironment(db, environmentRow(db, project, slug).id),
    })),
  };
}

export function applySetup(db: Database, changes: SetupChange[], version: number, by: Author): string[] {
  if (currentVersion(db) !== version) {
    throw new AppError("conflict", "something was changed meanwhile: nothing was applied", {
      hint: "run the command again, which looks at what is there now",
    });
  }
  return changes.flatMap((change) => make(db, change, by));
}

/** Returns the blob keys of files that are no longer needed. */
function make(db: Database, change: SetupChange, by: Author): string[] {
  switch (change.change) {
    case "insertProject":
      insertProject(db, change.project, by.who);
      break;
    case "renameProject":
      renameProject(db, change.project, change.name);
      break;
    case "insertEnvironment":
      insertEnvironment(db, change.project, change.environment, null, by.who);
      break;
    case "renameEnvironment":
      renameEnvironment(db, change.project, change.environment, change.name, by);
      break;
    case "deleteEnvironment":
      deleteEnvironment(db, change.project, change.environment, by);
      break;
    case "setFlag":
      setFlag(db, change.place, change.patch, by, null);
      break;
    case "deleteFlag":
      deleteFlag(db, change.project, change.flag, by, null);
      break;
    case "setSegment":
      setSegment(db, change.place, change.rule, by, null);
      break;
    case "deleteSegment":
      deleteSegment(db, change.place, by, null);
      break;
    case "insertForm":
      insertForm(db, change.form);
      break;
    case "updateForm":
      updateForm(db, change.form, change.patch, by.at);
      break;
    case "deleteForm":
      return deleteForm(db, change.form);
  }
  return [];
}
