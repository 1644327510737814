import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { Project } from "../../projects/project.ts";
import { cutPage } from "./pages.ts";
import { type ProjectRow, environmentsOf, findProjectRow, insertEnvironmentRow, projectRow } from "./rows.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

export function insertProject(db: Database, project: Project & { createdAt: number }, who: string): Project {
  const { slug, name, key, createdAt } = project;
  if (findProjectRow(db, slug)) {
    throw new AppError("conflict", `project "${slug}" already exists`, {
      hint: `formflag projects get ${slug} shows it`,
    });
  }
  const { lastInsertRowid } = query(
    db,
    "INSERT INTO projects (slug, name, key, created_at) VALUES ($slug, $name, $key, $createdAt)",
  ).run({ slug, name, key, createdAt });
  const id = Number(lastInsertRowid);
  for (const environment of project.environments)
    insertEnvironmentRow(db, id, { ...environment, createdAt }, who);
  return view(db, { id, slug, name, key });
}

export function listProjects(db: Database): Project[] {
  const rows = query<ProjectRow, []>(db, "SELECT id, slug, name, key FROM projects ORDER BY slug").all();
  return rows.map((row) => view(db, row));
}

export function pageProjects(db: Database, { limit, after = "" }: PageQuery): Page<Project> {
  const sql = "SELECT id, slug, name, key FROM projects WHERE slug > $after ORDER BY slug LIMIT $limit";
  const rows = query<ProjectRow, { after: string; limit: number }>(db, sql).iterate({
    after,
    limit: limit + 1,
  });
  const environmentsSize = ({ environments }: Project) => JSON.stringify(environments).length;
  return cutPage(viewEach(db, rows), limit, (project) => project, environmentsSize);
}

function* viewEach(db: Database, rows: Iterable<ProjectRow>): Generator<Project> {
  for (const row of rows) yield view(db, row);
}

export function findProject(db: Database, slug: string): Project | undefined {
  const row = findProjectRow(db, slug);
  return row && view(db, row);
}

export function renameProject(db: Database, slug: string, name: string): void {
  const { id } = projectRow(db, slug);
  query(db, "UPDATE projects SET name = $name WHERE id = $id").run({ id, name });
  nextVersion(db);
}

export function deleteProject(db: Database, slug: string): void {
  const { id } = projectRow(db, slug);
  query(db, "DELETE FROM projects WHERE id = $id").run({ id });
  nextVersion(db);
}

function view(db: Database, { id, slug, name, key }: ProjectRow): Project {
  return { slug, name, key, environments: environmentsOf(db, id) };
}
