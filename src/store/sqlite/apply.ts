import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import type { SetupChange } from "../../documents/setup.ts";
import type { Work } from "../sql/work.ts";
import { runWork } from "./run.ts";
import { recordChange } from "../sql/changes.ts";
import { deleteEnvironment, insertEnvironment, setMetadata, updateEnvironment } from "../sql/environments.ts";
import { deleteFlag, putFlag } from "./flags.ts";
import { deleteForm, insertForm, isEmptyForm, updateForm } from "./forms.ts";
import { deleteProject, insertProject, renameProject } from "../sql/projects.ts";
import { projectRow } from "../sql/rows.ts";
import { deleteScheduled, insertScheduled } from "./scheduled.ts";
import { deleteSegment, orderSegments, putSegment } from "./segments.ts";
import { deleteTarget, insertTarget, updateTarget } from "./targets.ts";
import { deleteToken, insertToken } from "./tokens.ts";
import { deleteUser, insertUser, setPassword, updateUser } from "./users.ts";
import { currentVersion, setVersion } from "../sql/version.ts";

type Kind = SetupChange["change"];
type Of<K extends Kind> = SetupChange & { change: K };
type Works = { [K in Kind]?: (change: Of<K>, revision: number) => Work<void> };
type Apply = { [K in Kind]?: (db: Database, change: Of<K>, revision: number) => void };

const WORKS: Works = {
  insertProject,
  renameProject,
  deleteProject,
  insertEnvironment,
  updateEnvironment,
  setMetadata,
  deleteEnvironment,
};

const APPLY: Apply = {
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
  if (runWork(db, currentVersion()) !== version) return false;
  for (const each of changes)
    if (each.change === "deleteForm" && each.onlyEmpty && !isEmptyForm(db, each.key)) return false;
  for (const [index, each] of changes.entries()) {
    const revision = version + index + 1;
    const work = WORKS[each.change] as ((change: SetupChange, revision: number) => Work<void>) | undefined;
    const apply = APPLY[each.change] as (db: Database, change: SetupChange, revision: number) => void;
    if (work) runWork(db, work(each, revision));
    else apply(db, each, revision);
    if ("history" in each && each.history)
      runWork(db, recordChange(runWork(db, projectRow(each.project)).id, revision, by, each.history));
  }
  runWork(db, setVersion(version + changes.length));
  return true;
}
