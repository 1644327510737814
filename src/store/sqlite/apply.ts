import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import type { SetupChange } from "../../documents/setup.ts";
import { recordChange } from "./changes.ts";
import { deleteEnvironment, insertEnvironment, setMetadata, updateEnvironment } from "./environments.ts";
import { deleteFlag, putFlag } from "./flags.ts";
import { deleteForm, insertForm, isEmptyForm, updateForm } from "./forms.ts";
import { deleteProject, insertProject, renameProject } from "./projects.ts";
import { projectRow } from "./rows.ts";
import { deleteScheduled, insertScheduled } from "./scheduled.ts";
import { deleteSegment, orderSegments, putSegment } from "./segments.ts";
import { deleteTarget, insertTarget, updateTarget } from "./targets.ts";
import { deleteToken, insertToken } from "./tokens.ts";
import { deleteUser, insertUser, setPassword, updateUser } from "./users.ts";
import { currentVersion, setVersion } from "./version.ts";

type Kind = SetupChange["change"];
type Apply = { [K in Kind]: (db: Database, change: SetupChange & { change: K }, revision: number) => void };

const APPLY: Apply = {
  insertProject,
  renameProject,
  deleteProject,
  insertEnvironment,
  updateEnvironment,
  setMetadata,
  deleteEnvironment,
  putFlag,
  deleteFlag,
  putSegment,
  deleteSegment,
  orderSegments,
  insertScheduled,
  deleteScheduled,
  insertForm,
  updateForm,
  deleteForm,
  insertTarget,
  updateTarget,
  deleteTarget,
  insertToken,
  deleteToken,
  insertUser,
  updateUser,
  setPassword,
  deleteUser,
};

/**
 * Applies and records all changes of a plan, each with its own revision. Returns false, without any change, where the
 * setup is no longer at `version`, on which the plan is based.
 */
export function applyChanges(
  db: Database,
  changes: readonly SetupChange[],
  version: number,
  by: Author,
): boolean {
  if (currentVersion(db) !== version) return false;
  for (const each of changes)
    if (each.change === "deleteForm" && each.onlyEmpty && !isEmptyForm(db, each.key)) return false;
  for (const [index, each] of changes.entries()) {
    const revision = version + index + 1;
    const apply = APPLY[each.change] as (db: Database, change: SetupChange, revision: number) => void;
    apply(db, each, revision);
    if ("history" in each && each.history)
      recordChange(db, projectRow(db, each.project).id, revision, by, each.history);
  }
  setVersion(db, version + changes.length);
  return true;
}
