import { shown } from "../../output/text.ts";
import type { Session } from "../session.ts";
import { keep, readKept } from "./kept.ts";

/** Forgets a project or an environment that was deleted, if `formflag use` keeps it. */
export async function forget(
  { namesPlace, note }: Session,
  { project, environment }: { project: string; environment?: string },
): Promise<void> {
  const kept = readKept();
  // The place that a command names has other projects.
  if (namesPlace || kept.project !== project) return;
  if (environment !== undefined && kept.environment !== environment) return;
  await keep({ project: environment && project, environment: undefined });
  note(shown`formflag use forgets ${environment === undefined ? project : `${project}/${environment}`}\n`);
}
