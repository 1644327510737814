import { type NewAuditEntry, entryOf } from "../../access/audit/entry.ts";
import type { Author } from "../../access/caller.ts";
import { type SetupChange, changesAccess } from "../../documents/setup.ts";
import { auditedChange } from "../../documents/audited.ts";
import { noticedChange } from "../../documents/noticed.ts";
import { type NoticedAt, insertNotices } from "./delivery/notices.ts";
import { appendAudit, projectAt } from "./audit.ts";
import { recordChange } from "./history.ts";
import {
  deleteEnvironment,
  insertEnvironment,
  orderEnvironments,
  setMetadata,
  updateEnvironment,
  deleteProject,
  insertProject,
  setProject,
} from "./projects.ts";
import { deleteFlag, flagsAmong, needsIn, putFlag } from "./flags.ts";
import { deleteForm, insertForm, isEmptyForm, moveForm, updateForm } from "./forms.ts";
import { type Revised, findProjectRow, projectRow, revise, environmentsOf } from "./rows.ts";
import {
  deleteProjectTarget,
  insertProjectTarget,
  insertProposal,
  updateProposal,
} from "./changes/proposals.ts";
import { deleteExperiment, putExperiment } from "./experiments/experiments.ts";
import { findRamp, putRamp } from "./ramps.ts";
import { deleteScheduled, insertScheduled } from "./scheduled.ts";
import { applyApproval, applySuspension } from "./memberships/members.ts";
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
import { type Work, first } from "./work.ts";
import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { FLAG_BYTES, MAX_ENVIRONMENT_BYTES } from "../../flags/limits.ts";
import type { Ramp } from "../../flags/ramps/ramp.ts";
import type * as Graph from "../../flags/requires/graph.ts";
import { type NeedsCheck, needsToCheck } from "../../flags/requires/to-check.ts";
import type * as Variants from "../../flags/requires/variants.ts";

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
  suspendMembers: applySuspension,
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
 * its limit, and as `requireNeeds`.
 */
export function* applyChanges(changes: readonly SetupChange[], version: number, by: Author): Work<boolean> {
  if ((yield* currentVersion()) !== version) return false;
  for (const each of changes)
    if (each.change === "deleteForm" && each.onlyEmpty && !(yield* isEmptyForm(each.key))) return false;
  const sizes = yield* sizesBefore(changes);
  const needs = needsToCheck(changes);
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
      entries.push(entryOf({ ...event, project }, by));
      if (other) {
        const { place: elsewhere, ...second } = other;
        entries.push(entryOf({ ...second, project: yield* projectAt(elsewhere) }, by));
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
  for (const each of needs) yield* requireNeeds(each);
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

type Place = { project: string; environment: string };

/** Bytes of what the flags of an environment hold in it, with their descriptions, and of its segments. */
const SIZE = `
  SELECT
    (SELECT coalesce(sum(octet_length(description) + octet_length(owner) + octet_length(tags) + octet_length(colours) + ${FLAG_BYTES}), 0) FROM flags WHERE project_id = e.project_id) +
    (SELECT coalesce(sum(coalesce(octet_length(payload), 0) + coalesce(octet_length(rules), 0) + octet_length(requires)), 0)
     FROM flag_values WHERE environment_id = e.id) +
    (SELECT coalesce(sum(octet_length(name) + octet_length(content)), 0)
     FROM flag_previews WHERE environment_id = e.id) +
    (SELECT coalesce(sum(octet_length(rule)), 0) FROM segments WHERE environment_id = e.id) AS bytes
  FROM environments e WHERE e.project_id = $projectId AND e.slug = $slug`;

/**
 * The sizes of the environments in which changes set flags or segments, before the changes: of every environment where a flag
 * is new or described, since all of them have it.
 */
function* sizesBefore(changes: readonly SetupChange[]): Work<[Place, number][]> {
  const places = new Map<string, Place>();
  const add = (project: string, environment: string) =>
    void places.set(`${project}/${environment}`, { project, environment });
  const shared = new Set<string>();
  for (const each of changes) {
    if (each.change !== "putFlag" && each.change !== "putSegment") continue;
    const { project, environment } = each;
    add(project, environment);
    if (each.change === "putFlag" && each.describes) shared.add(project);
  }
  for (const project of shared) {
    const row = yield* findProjectRow(project);
    for (const { slug } of row ? yield* environmentsOf(row.id) : []) add(project, slug);
  }
  const sizes: [Place, number][] = [];
  for (const place of places.values()) sizes.push([place, yield* sizeOf(place)]);
  return sizes;
}

/**
 * Throws as `requireSoundNeeds`, `requireNeededVariants` and `requireOtherDefaults` for what flags need after the changes;
 * nothing for a project that they delete.
 */
function* requireNeeds(check: NeedsCheck): Work<void> {
  // Few changes are of what flags need.
  const { requireSoundNeeds } = require("../../flags/requires/graph.ts") as typeof Graph;
  const { flagsToRead, rampsToRead, requireNeededVariants, requireOtherDefaults } =
    require("../../flags/requires/variants.ts") as typeof Variants;
  const { project, environments, removed } = check;
  const row = yield* findProjectRow(project);
  for (const { slug } of row ? yield* environmentsOf(row.id) : []) {
    if (environments !== null && !environments.has(slug)) continue;
    const needs = yield* needsIn(project, slug);
    requireSoundNeeds(needs, removed);
    const read = flagsToRead(needs, check);
    const flags = read.length > 0 ? yield* flagsAmong(project, slug, read) : [];
    const rules = new Map(flags.map((each) => [each.slug, each.rules]));
    const rulesOf = (flag: string) => rules.get(flag) ?? null;
    requireNeededVariants(needs, check, rulesOf);
    const ramps = new Map<string, Ramp | undefined>();
    for (const flag of rampsToRead(needs, check, rulesOf))
      ramps.set(flag, (yield* findRamp({ project, environment: slug, flag }))?.ramp);
    requireOtherDefaults(needs, check, ramps);
  }
}

/** Throws `too_large` for an environment that has grown past the limit. One that was larger before may shrink. */
function* requireSmall(before: readonly [Place, number][]): Work<void> {
  for (const [place, was] of before) {
    const size = yield* sizeOf(place);
    if (size <= MAX_ENVIRONMENT_BYTES || size <= was) continue;
    const { project, environment } = place;
    throw new AppError(
      "too_large",
      `environment "${environment}" of project "${project}" would hold ${formatBytes(size)} of flags and segments, of at most ${formatBytes(MAX_ENVIRONMENT_BYTES)}`,
      {
        reason: "environment-too-large",
        hint: "shorten payloads and previews, delete flags that are not used, or divide them among projects",
      },
    );
  }
}

/** 0 for an environment that the changes add. */
function* sizeOf({ project, environment }: Place): Work<number> {
  const row = yield* findProjectRow(project);
  if (!row) return 0;
  const size = yield* first<{ bytes: number }>(SIZE, { projectId: row.id, slug: environment });
  return size?.bytes ?? 0;
}
