import type { Database } from "bun:sqlite";
import { changeRecord, type ChangedFlag, type FlagRecord } from "../../flags.ts";
import { restore, stateAfter, type Author } from "../../history.ts";
import type { FlagPlace } from "../../store.ts";
import { changeFlag } from "./flags.ts";
import { findChange } from "./history.ts";
import { environmentRow } from "./rows.ts";

export function rollbackFlag(
  db: Database,
  place: FlagPlace,
  to: number,
  by: Author,
  expected: number | null,
): ChangedFlag {
  const { project_id: projectId } = environmentRow(db, place.project, place.environment);
  const state = stateAfter(place, to, findChange(db, projectId, to));
  const change = (before: FlagRecord | undefined) => changeRecord(place.flag, before, by.at, restore(state));
  return changeFlag(db, place, change, by, expected);
}
