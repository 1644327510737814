import type { Database } from "bun:sqlite";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { ProjectChange } from "../../projects/change.ts";
import type { Project } from "../../projects/project.ts";
import { cutPage } from "./pages.ts";
import { type ProjectRow, environmentsOf, findProjectRow } from "./rows.ts";
import { query } from "./statements.ts";

type Change<K> = ProjectChange & { change: K };

export function insertProject(
  db: Database,
  { project: slug, name, key, createdAt }: Change<"insertProject">,
): void {
  query(db, "INSERT INTO projects (slug, name, key, created_at) VALUES ($slug, $name, $key, $createdAt)").run(
    { slug, name, key, createdAt },
  );
}

export function renameProject(db: Database, { project: slug, name }: Change<"renameProject">): void {
  query(db, "UPDATE projects SET name = $name WHERE slug = $slug").run({ slug, name });
}

export function deleteProject(db: Database, { project: slug }: Change<"deleteProject">): void {
  query(db, "DELETE FROM projects WHERE slug = $slug").run({ slug });
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

function view(db: Database, { id, slug, name, key }: ProjectRow): Project {
  return { slug, name, key, environments: environmentsOf(db, id) };
}
