import type { NewAuditEntry } from "../../access/audit/entry.ts";
import type { Author } from "../../access/caller.ts";
import { type SetupChange, changesAccess } from "../../documents/setup.ts";
import { requireSmall, sizesBefore } from "./environment-size.ts";
import { auditedChange } from "../../documents/audited.ts";
import { noticedChange } from "../../documents/noticed.ts";
import { type NoticedAt, insertNotices } from "./delivery/notices.ts";
import { appendAudit, auditAuthor, projectAt } from "./audit.ts";
import { recordChange } from "./history.ts";
import {
  deleteEnvironment,
  insertEnvironment,
  orderEnvironments,
  setMetadata,
  updateEnvironment,
} from "./projects.ts";
import { deleteFlag, putFlag } from "./flags.ts";
import { deleteForm, insertForm, isEmptyForm, moveForm, updateForm } from "./forms.ts";
import { deleteProject, insertProject, setProject } from "./projects.ts";
import { type Revised, findProjectRow, projectRow, revise } from "./rows.ts";
import {
  deleteProjectTarget,
  insertProjectTarget,
  insertProposal,
  updateProposal,
} from "./changes/proposals.ts";
import { deleteExperiment, putExperiment } from "./experiments/experiments.ts";
import { putRamp } from "./ramps.ts";
import { deleteScheduled, insertScheduled } from "./scheduled.ts";
import { applyApproval } from "./memberships/members.ts";
import { deleteSegment, orderSegments, putSegment } from "./segments.ts";
import { deleteTestContext, putTestContext } from "./contexts/test-contexts.ts";
import { deleteFeed, insertFeed } from "./feeds/feeds.ts";
import { deleteTarget, insertTarget, updateTarget } from "./delivery/targets.ts";
import { deleteInvitation, insertInvitation } from "./access/invitations.ts";
import { deleteIdentity, putIdentity, setGroupRole } from "./access/identities.ts";
import { deleteMember, putMember } from "./access/members.ts";
import { deleteToken, insertToken } from "./tokens.ts";
import { deletePasskey, insertPasskey, renamePasskey } from "./factors/passkeys.ts";
import { deleteTotp, resetFactors, setRecoveryCodes, setTotp } from "./factors/factors.ts";
import { deleteUser, insertUser, setPassword, updateUser } from "./users.ts";
import { currentVersion, setVersion } from "./version.ts";
import type { Work } from "./work.ts";

type Kind = SetupChange["change"];
type Apply = {
  [K in Kind]: (change: SetupChange & { change: K }, revision: number, by: Author) => Work<Revised | void>;
};

const APPLY: Apply = {
  insertProject,
  setProject,
  deleteProject,
  insertEnvironment,
  updateEnvironment,
  orderEnvironments,
  setMetadata,
  deleteEnvironment,
  putTestContext,
  deleteTestContext,
  putFlag,
  deleteFlag,
  putSegment,
  deleteSegment,
  orderSegments,
  approveMembers: applyApproval,
  insertScheduled,
  deleteScheduled,
  putRamp,
  putExperiment,
  deleteExperiment,
  insertForm,
  updateForm,
  moveForm,
  deleteForm,
  insertProposal,
  updateProposal,
  insertProjectTarget,
  deleteProjectTarget,
  *recordForm() {},
  insertFeed,
  deleteFeed,
  insertTarget,
  updateTarget,
  deleteTarget,
  insertToken,
  deleteToken,
  insertUser,
  updateUser,
  setPassword,
  setTotp,
  setRecoveryCodes,
  deleteTotp,
  insertPasskey,
  renamePasskey,
  deletePasskey,
  resetFactors,
  deleteUser,
  putMember,
  putIdentity,
  deleteIdentity,
  setGroupRole,
  deleteMember,
  insertInvitation,
  deleteInvitation,
};

/**
 * Applies and records all changes of a plan, each with its own revision. Returns false, without any change, if the
 * setup is no longer at `version`, on which the plan is based. Throws `too_large` for an environment that grows beyond
 * its limit.
 */
export function* applyChanges(changes: readonly SetupChange[], version: number, by: Author): Work<boolean> {
  if ((yield* currentVersion()) !== version) return false;
  for (const each of changes)
    if (each.change === "deleteForm" && each.onlyEmpty && !(yield* isEmptyForm(each.key))) return false;
  const sizes = yield* sizesBefore(changes);
  const revisions: (Revised & { revision: number })[] = [];
  const entries: NewAuditEntry[] = [];
  const notices: NoticedAt[] = [];
  for (const [index, each] of changes.entries()) {
    const revision = version + index + 1;
    const apply = APPLY[each.change] as (
      change: SetupChange,
      revision: number,
      by: Author,
    ) => Work<Revised | void>;
    const audited = auditedChange(each);
    const before = audited && (yield* projectAt(audited.place));
    const revised = yield* apply(each, revision, by);
    if (audited) {
      const { place, other, ...event } = audited;
      const project = before ?? (yield* projectAt(place));
      entries.push({ ...event, ...auditAuthor(by), project });
      if (other) {
        const { place: elsewhere, ...second } = other;
        entries.push({ ...second, ...auditAuthor(by), project: yield* projectAt(elsewhere) });
      }
    }
    if (revised) revisions.push({ ...revised, revision });
    if ("history" in each && each.history) {
      yield* recordChange(yield* projectOf(each), revision, by, each.history);
    }
    for (const noticed of noticedChange(each)) notices.push({ ...noticed, revision });
  }
  yield* revise(revisions);
  yield* requireSmall(sizes);
  yield* appendAudit(entries);
  yield* insertNotices(notices, by);
  yield* setVersion(version + changes.length, changes.some(changesAccess));
  return true;
}

/** The id of the project whose history has a change, and which takes it along when it is deleted; null for none. */
function* projectOf(change: SetupChange): Work<number | null> {
  if (!("project" in change) || change.change === "insertProject" || change.change === "deleteProject")
    return null;
  // Forms may be in `default` although it does not exist.
  const isOfForm = "history" in change && change.history?.kind === "form";
  if (isOfForm) return (yield* findProjectRow(change.project))?.id ?? null;
  return (yield* projectRow(change.project)).id;
}
