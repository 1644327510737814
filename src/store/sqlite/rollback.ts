import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import { type ChangedFlag, type FlagPlace, type FlagRecord, changeRecord } from "../../flags/flag.ts";
import { missingSegments } from "../../flags/flagd/gaps.ts";
import { restore, stateAfter } from "../../flags/history.ts";
import { rulesBySegment } from "../../flags/segment.ts";
import { changeFlag } from "./flags.ts";
import { findChange } from "./history.ts";
import { environmentRow } from "./rows.ts";
import { segmentsOfEnvironment } from "./segments.ts";

export function rollbackFlag(
  db: Database,
  place: FlagPlace,
  to: number,
  by: Author,
  expected: number | null,
): ChangedFlag {
  const { id: environmentId, project_id: projectId } = environmentRow(db, place.project, place.environment);
  const state = stateAfter(place, to, findChange(db, projectId, to));
  const segments = rulesBySegment(segmentsOfEnvironment(db, environmentId));
  const [missing] = missingSegments(state.targeting ?? null, segments);
  if (missing !== undefined)
    throw new AppError(
      "invalid",
      `its rule refers to the segment "${missing}", which does not exist any more`,
      {
        hint: `formflag segments history ${missing} shows the rule it had`,
      },
    );
  const change = (before: FlagRecord | undefined) => changeRecord(place.flag, before, by.at, restore(state));
  return changeFlag(db, place, change, by, expected);
}
