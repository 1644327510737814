import type { ProjectChange } from "./change.ts";
import type { Color } from "./environment-card.ts";
import type { Environment } from "./environment.ts";
import type { HistoryEntry } from "../access/history-entry.ts";
import type { Project, ProjectSettings } from "./project.ts";

/** The entry of a project that is created or deleted; null for a project that does not exist. */
export function projectEntry(slug: string, before: string | null, after: string | null): HistoryEntry {
  const stateOf = (name: string | null) => (name === null ? null : { name });
  return { environment: null, kind: "project", name: slug, before: stateOf(before), after: stateOf(after) };
}

/** The change of some settings of a project, which the history has as they were and are. */
export function planSettings(
  slug: string,
  before: Partial<ProjectSettings>,
  settings: Partial<ProjectSettings>,
): ProjectChange {
  const history = { environment: null, kind: "project", name: slug, before, after: settings } as const;
  return { change: "setProject", project: slug, settings, history };
}

/** The changes that create a project with its environments. */
export function planProject({ slug, name, key, environments }: Project, createdAt: number): ProjectChange[] {
  const history = projectEntry(slug, null, name);
  return [
    { change: "insertProject", project: slug, name, key, createdAt, history },
    ...environments.map((environment) => planEnvironment(slug, environment, createdAt)),
  ];
}

/** The change that adds an environment; `from` is the slug of the environment whose values it copies. */
export function planEnvironment(
  project: string,
  environment: Environment,
  createdAt: number,
  from?: string,
): ProjectChange {
  const { slug, name, color } = environment;
  const after = { name, ...(color === null ? {} : { color }), ...(from === undefined ? {} : { from }) };
  const history = historyOf(slug, null, after);
  return { change: "insertEnvironment", project, environment, createdAt, history };
}

type Guards = Pick<Environment, "locked" | "approvals" | "approveWith">;

/** The change that renames, locks or unlocks an environment, or gives it another colour, number of approvals or factor of them. */
export function planUpdate(
  project: string,
  { slug, ...before }: Environment,
  patch: Partial<Guards> & { name?: string; color?: Color | null },
): ProjectChange {
  const { name, locked, color, approvals, approveWith } = { ...before, ...patch };
  const after = { name, locked, color, approvals, approveWith };
  const history = historyOf(slug, stateOf(before), stateOf(after));
  return { change: "updateEnvironment", project, environment: slug, ...after, history };
}

/** The change that gives the environments of a project the order of `slugs`, which the history records for the moved environment. */
export function planOrder(
  project: string,
  slugs: string[],
  { slug, before, after }: { slug: string; before: number; after: number },
): ProjectChange {
  const history = historyOf(slug, { position: before }, { position: after });
  return { change: "orderEnvironments", project, environments: slugs, history };
}

/** The change that deletes an environment with its flag values. */
export function planDeletion(project: string, { slug, ...before }: Environment): ProjectChange {
  const history = historyOf(slug, stateOf(before), null);
  return { change: "deleteEnvironment", project, environment: slug, history };
}

function historyOf(slug: string, before: unknown, after: unknown) {
  return { environment: slug, kind: "environment" as const, name: slug, before, after };
}

/** The part of an environment that the history keeps. */
function stateOf({
  name,
  locked,
  color,
  approvals,
  approveWith,
}: Omit<Environment, "slug" | "key" | "position">) {
  return { name, locked, color, ...(approvals > 0 && { approvals }), ...(approveWith && { approveWith }) };
}
