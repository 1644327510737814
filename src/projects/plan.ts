import type { ProjectChange } from "./change.ts";
import type { Environment } from "./environment.ts";

/** The change that adds an environment; `from` names the one whose values it starts with. */
export function planEnvironment(
  project: string,
  environment: Environment,
  createdAt: number,
  from?: string,
): ProjectChange {
  const { slug, name } = environment;
  const history = historyOf(slug, null, { name, ...(from === undefined ? {} : { from }) });
  return { change: "insertEnvironment", project, environment, createdAt, history };
}

/** The change that gives an environment another name, or locks or unlocks it. */
export function planUpdate(
  project: string,
  { slug, ...before }: Environment,
  patch: { name?: string; locked?: boolean },
): ProjectChange {
  const after = { ...stateOf(before), ...patch };
  const history = historyOf(slug, stateOf(before), after);
  return { change: "updateEnvironment", project, environment: slug, ...after, history };
}

/** The change that deletes an environment with its flag values. */
export function planDeletion(project: string, { slug, ...before }: Environment): ProjectChange {
  const history = historyOf(slug, stateOf(before), null);
  return { change: "deleteEnvironment", project, environment: slug, history };
}

function historyOf(slug: string, before: unknown, after: unknown) {
  return { environment: slug, kind: "environment" as const, name: slug, before, after };
}

/** Without the key, which the history has no use for. */
function stateOf({ name, locked }: Pick<Environment, "name" | "locked">) {
  return { name, locked };
}
