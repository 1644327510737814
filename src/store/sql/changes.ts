import type { Author } from "../../access/caller.ts";
import type { HistoryEntry } from "../../projects/history.ts";
import { type Work, run } from "./work.ts";

/** Adds an entry to the history of a project. */
export function* recordChange(
  projectId: number,
  revision: number,
  { who, at, why }: Author,
  { environment, kind, name, before, after }: HistoryEntry,
): Work<void> {
  yield* run(
    `INSERT INTO changes (revision, project_id, environment, kind, name, at, who, why, before, after)
     VALUES ($revision, $projectId, $environment, $kind, $name, $at, $who, $why, $before, $after)`,
    {
      revision,
      projectId,
      environment,
      kind,
      name,
      at,
      who,
      why: why ?? null,
      before: toJson(before),
      after: toJson(after),
    },
  );
}

function toJson(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value);
}
