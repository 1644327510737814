import type { ProjectChange } from "../../projects/change.ts";
import type { Environment } from "../../projects/environment.ts";
import {
  environmentRow,
  environmentsOf,
  PROJECT,
  projectRow,
  type Revised,
  type ProjectRow,
  findProjectRow,
} from "./rows.ts";
import { openedForms } from "./forms.ts";
import { amongProjects } from "./lists.ts";
import { forgetFilling } from "./memberships/sources.ts";
import { forgetEnvironment } from "./access/members.ts";
import { countDay, storedIn } from "./submissions/quota.ts";
import { type Work, all, first, insert, run } from "./work.ts";
import { MAX_PAGE_BYTES, type Page } from "../../base/pages.ts";
import { DEFAULT_PROJECT } from "../../access/place.ts";
import type { Project, ProjectSettings, Usage } from "../../projects/project.ts";
import type { ProjectQuery } from "../../projects/store.ts";

type Change<K> = ProjectChange & { change: K };

export function* insertEnvironment(
  {
    project,
    environment: { slug, name, key, color, approvals, approveWith },
    createdAt,
  }: Change<"insertEnvironment">,
  revision: number,
): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  yield* run(
    `INSERT INTO environments (project_id, slug, name, key, color, approvals, approve_with, position, revision, created_at)
     VALUES ($projectId, $slug, $name, $key, $color, $approvals, $approveWith,
             (SELECT coalesce(max(position), 0) + 1 FROM environments WHERE project_id = $projectId), $revision, $createdAt)`,
    { projectId, slug, name, key, color, approvals, approveWith, createdAt, revision },
  );
}

export function* updateEnvironment({
  project,
  environment,
  name,
  locked,
  color,
  approvals,
  approveWith,
}: Change<"updateEnvironment">): Work<void> {
  const { id } = yield* environmentRow(project, environment);
  yield* run(
    `UPDATE environments SET name = $name, locked = $locked, color = $color, approvals = $approvals,
       approve_with = $approveWith
     WHERE id = $id`,
    { id, name, locked: locked ? 1 : 0, color, approvals, approveWith },
  );
}

export function* orderEnvironments({ project, environments }: Change<"orderEnvironments">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  const sql = "UPDATE environments SET position = $position WHERE project_id = $projectId AND slug = $slug";
  for (const [index, slug] of environments.entries())
    yield* run(sql, { projectId, slug, position: index + 1 });
}

export function* setMetadata({ project, environment, metadata }: Change<"setMetadata">): Work<Revised> {
  const { id, project_id: projectId } = yield* environmentRow(project, environment);
  yield* run("UPDATE environments SET metadata = $metadata WHERE id = $id", { id, metadata });
  return { project: projectId, environment: id };
}

export function* deleteEnvironment({ project, environment }: Change<"deleteEnvironment">): Work<void> {
  const { id, project_id: projectId } = yield* environmentRow(project, environment);
  yield* run("DELETE FROM environments WHERE id = $id", { id });
  yield* forgetFilling();
  yield* forgetEnvironment(projectId, environment);
}

function* listEnvironments(project: string): Work<Environment[]> {
  const { id } = yield* projectRow(project);
  return yield* environmentsOf(id);
}

export function* insertProject({ project: slug, name, key, createdAt }: Change<"insertProject">): Work<void> {
  yield* insert("projects", { slug, name, key, createdAt });
  // A replica of the release before inserts forms without a project.
  if (slug === DEFAULT_PROJECT)
    yield* run(
      "UPDATE forms SET project_id = (SELECT id FROM projects WHERE slug = $slug) WHERE project_id IS NULL AND deleted = 0",
      { slug },
    );
}

const SETTING_COLUMNS = {
  name: "name",
  mailFrom: "mail_from",
  accent: "accent",
  maxSubmissions: "max_submissions",
  maxStorage: "max_storage",
} as const satisfies Record<keyof ProjectSettings, string>;

export function* setProject({ project: slug, settings }: Change<"setProject">): Work<void> {
  const names = (Object.keys(settings) as (keyof ProjectSettings)[]).filter(
    (name) => settings[name] !== undefined,
  );
  if (names.length === 0) return;
  const sets = names.map((name) => `${SETTING_COLUMNS[name]} = $${name}`).join();
  const values = Object.fromEntries(names.map((name) => [name, settings[name]!]));
  yield* run(`UPDATE projects SET ${sets} WHERE slug = $slug`, { ...values, slug });
  if (!names.includes("maxStorage")) return;
  // The sum is kept only as long as there is a limit.
  const { id } = yield* projectRow(slug);
  yield* run("DELETE FROM project_storage WHERE project_id = $id", { id });
  if (settings.maxStorage !== null) yield* storedIn(id);
}

export function* deleteProject({ project: slug }: Change<"deleteProject">): Work<void> {
  yield* run("DELETE FROM projects WHERE slug = $slug", { slug });
  yield* forgetFilling();
}

export function* listProjects(): Work<Project[]> {
  const rows = yield* all<ProjectRow>(`${PROJECT} ORDER BY slug`);
  const projects: Project[] = [];
  for (const row of rows) projects.push(yield* view(row));
  return projects;
}

function* pageProjects(
  { limit, after = "", search = "" }: ProjectQuery,
  projects: readonly string[] | null,
): Work<Page<Project>> {
  const among = amongProjects("slug", projects);
  const named =
    search === "" ? "" : "AND (lower(slug) LIKE $named ESCAPE '!' OR lower(name) LIKE $named ESCAPE '!')";
  const rows = yield* all<ProjectRow>(
    `${PROJECT} WHERE slug > $after ${among.sql} ${named} ORDER BY slug LIMIT $limit`,
    { after, ...among.params, ...(search !== "" && { named: patternOf(search) }), limit: limit + 1 },
  );
  const items: Project[] = [];
  let size = 0;
  for (const row of rows) {
    const project = yield* view(row);
    size += JSON.stringify(project.environments).length;
    const isFull = items.length === limit || (items.length > 0 && size > MAX_PAGE_BYTES);
    if (isFull) return { items, more: true };
    items.push(project);
  }
  return { items, more: false };
}

/** A pattern for texts that hold another one; both databases fold the case of ASCII letters alone. */
function patternOf(search: string): string {
  const folded = search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `%${folded.replaceAll(/[!%_]/g, "!$&")}%`;
}

export function* findProject(slug: string): Work<Project | undefined> {
  const row = yield* findProjectRow(slug);
  return row && (yield* view(row));
}

function* view(row: ProjectRow): Work<Project> {
  const { id, slug, name, key, accent } = row;
  return {
    slug,
    name,
    key,
    environments: yield* environmentsOf(id),
    mailFrom: row.mail_from,
    accent,
    maxSubmissions: row.max_submissions,
    maxStorage: row.max_storage,
  };
}

function* usageOf(slug: string, now: number): Work<Usage> {
  const { id } = yield* projectRow(slug);
  const stored = yield* first<{ bytes: number }>("SELECT bytes FROM project_storage WHERE project_id = $id", {
    id,
  });
  return { submissions: yield* countDay(id, now), storage: stored?.bytes ?? null };
}

export const projects = {
  reads: { list: listProjects, page: pageProjects, find: findProject, openedForms, usage: usageOf },
};
export const environments = { reads: { list: listEnvironments } };
