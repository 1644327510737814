import type { Author } from "../../../access/caller.ts";
import type { Page } from "../../../base/pages.ts";
import { MEMBER_LIMITS } from "../../../flags/limits.ts";
import { type MemberState, memberValues } from "../../../flags/members.ts";
import type { SegmentPlace } from "../../../flags/segment.ts";
import type { FlagChange } from "../../../flags/change.ts";
import type { Member, MemberQuery } from "../../../memberships/store.ts";
import { allAmong, insertRows, runAmong, textOrder } from "../lists.ts";
import { environmentRow } from "../rows.ts";
import { FOR_KEY_SHARE, FOR_UPDATE, type Value, type Work, all, first, run } from "../work.ts";
import { clock } from "../../../base/clock.ts";
import { noticeOf } from "../delivery/flag-notices.ts";
import { listeningTargets, queueNotices } from "../delivery/notices.ts";
import { lockAudit } from "../audit.ts";
import type * as Welcomes from "./welcomes.ts";

export type SourceRow = {
  environment_id: number;
  segment: string;
  form_id: number;
  field: string;
  attribute: string;
  approve: number;
  revision: number;
  members: number;
  pending: number;
  welcome: string | null;
};

/** A submission that makes members: see `FILLS`. */
type Filling = { seq: number; data: string };

/** The condition for one segment. */
export const ONE = "environment_id = $environmentId AND segment = $segment";

/** Makes who is named in submissions of a form members of the segments that it fills. Returns whether it fills any. */
export function* fillSegments(formId: number, submissions: readonly Filling[]): Work<boolean> {
  const sources = yield* all<SourceRow>(
    `SELECT * FROM segment_sources WHERE form_id = $formId ORDER BY environment_id, segment ${FOR_UPDATE}`,
    { formId },
  );
  if (sources.length === 0) return false;
  const sent = submissions.map(({ seq, data }) => ({
    seq,
    fields: JSON.parse(data) as Record<string, unknown>,
  }));
  for (const source of sources) yield* fill(source, sent);
  return true;
}

export function* fill(
  source: SourceRow,
  sent: readonly { seq: number; fields: Record<string, unknown> }[],
): Work<void> {
  const { environment_id: environmentId, segment, field } = source;
  const named = sent.flatMap(({ seq, fields }) =>
    Object.hasOwn(fields, field) ? memberValues(fields[field]).map((value) => ({ seq, value })) : [],
  );
  if (named.length === 0) return;
  const known = new Map(
    (yield* allAmong<{ value: string; approved: number }>(
      [...new Set(named.map(({ value }) => value))],
      (list) =>
        `SELECT value, max(approved) AS approved FROM memberships WHERE ${ONE} AND value IN ${list} GROUP BY value`,
      { environmentId, segment },
    )).map(({ value, approved }) => [value, approved]),
  );
  let { members, pending } = source;
  const [before, revision] = [members, source.revision + 1];
  const rows: Value[][] = [];
  for (const { seq, value } of named) {
    let approved = known.get(value);
    if (approved === undefined) {
      if (members + pending >= MEMBER_LIMITS.values) continue;
      known.set(value, (approved = source.approve === 1 ? 0 : 1));
      if (approved === 1) members += 1;
      else pending += 1;
    }
    rows.push([environmentId, segment, value, seq, approved, revision]);
  }
  yield* insertRows(
    "INSERT INTO memberships (environment_id, segment, value, submission_seq, approved, revision)",
    rows,
    "ON CONFLICT (environment_id, segment, value, submission_seq) DO NOTHING",
  );
  yield* setState(source, { members, pending, grows: members !== before, shrinks: false });
  const isFull = members + pending >= MEMBER_LIMITS.values;
  if (isFull && source.members + source.pending < MEMBER_LIMITS.values)
    yield* noticeFull(environmentId, segment);
}

/** `grows` where a value was approved, `shrinks` where one has left. */
type Next = { members: number; pending: number; grows: boolean; shrinks: boolean };

function* setState(
  { environment_id: environmentId, segment, revision }: SourceRow,
  { members, pending, grows, shrinks }: Next,
): Work<void> {
  const next = revision + (grows || shrinks ? 1 : 0);
  yield* run(
    `UPDATE segment_sources SET members = $members, pending = $pending, revision = $next,
       left_at = CASE WHEN $shrinks = 1 THEN $next ELSE left_at END WHERE ${ONE}`,
    { environmentId, segment, members, pending, next, shrinks: shrinks ? 1 : 0 },
  );
}

/**
 * Locks the sources that the forms of these submissions have in segments, and waits for those who change them.
 * Otherwise the members would be computed from the old state of these submissions.
 */
export function* keepSources(seqs: readonly number[]): Work<void> {
  yield* allAmong(
    seqs,
    (list) => `SELECT id FROM forms WHERE id IN (SELECT form_id FROM submissions WHERE seq IN ${list})
      ORDER BY id ${FOR_KEY_SHARE}`,
  );
}

/** Ends the memberships of submissions that are about to be deleted, or are spam now. */
export function* emptySegments(seqs: readonly number[]): Work<void> {
  yield* keepSources(seqs);
  const touched = yield* allAmong<{ environment_id: number; segment: string }>(
    seqs,
    (list) => `SELECT DISTINCT environment_id, segment FROM memberships WHERE submission_seq IN ${list}`,
  );
  const places = new Map(touched.map((each) => [`${each.environment_id} ${each.segment}`, each]));
  for (const [, { environment_id: environmentId, segment }] of [...places].toSorted(([a], [b]) =>
    textOrder(a, b),
  )) {
    const place = { environmentId, segment };
    const source = yield* first<SourceRow>(`SELECT * FROM segment_sources WHERE ${ONE} ${FOR_UPDATE}`, place);
    if (!source) continue;
    const own = yield* allAmong<{ value: string; approved: number }>(
      seqs,
      (list) => `SELECT value, approved FROM memberships WHERE ${ONE} AND submission_seq IN ${list}`,
      place,
    );
    yield* runAmong(
      seqs,
      (list) => `DELETE FROM memberships WHERE ${ONE} AND submission_seq IN ${list}`,
      place,
    );
    const approvals = new Map(own.map(({ value, approved }) => [value, approved]));
    const left = yield* allAmong<{ value: string }>(
      [...approvals.keys()],
      (list) => `SELECT DISTINCT value FROM memberships WHERE ${ONE} AND value IN ${list}`,
      place,
    );
    for (const { value } of left) approvals.delete(value);
    const gone = [...approvals.values()].reduce((sum, approved) => sum + approved, 0);
    yield* setState(source, {
      members: source.members - gone,
      pending: source.pending - (approvals.size - gone),
      grows: false,
      shrinks: gone > 0,
    });
  }
}

/** Approves values of a segment, or all, or takes that back. Returns the values that were not so before. */
function* setApproved(source: SourceRow, values: readonly string[] | null, approved: 0 | 1): Work<string[]> {
  const { environment_id: environmentId, segment, revision } = source;
  const place = { environmentId, segment };
  const others = `${ONE} AND approved = ${1 - approved}`;
  const select = `SELECT DISTINCT value FROM memberships WHERE ${others}`;
  const found =
    values === null
      ? yield* all<{ value: string }>(select, place)
      : yield* allAmong<{ value: string }>(values, (list) => `${select} AND value IN ${list}`, place);
  if (found.length === 0) return [];
  const set = `UPDATE memberships SET approved = ${approved}, revision = $next WHERE ${others}`;
  const next = { ...place, next: revision + 1 };
  if (values === null) yield* run(set, next);
  else yield* runAmong(values, (list) => `${set} AND value IN ${list}`, next);
  const more = approved === 1 ? found.length : -found.length;
  const [members, pending] = [source.members + more, source.pending - more];
  yield* setState(source, { members, pending, grows: more > 0, shrinks: more < 0 });
  return found.map(({ value }) => value);
}

/** Approves values of a segment, or all, at a time. */
export function* approveMembers(
  source: SourceRow,
  values: readonly string[] | null,
  now: number,
): Work<void> {
  const found = yield* setApproved(source, values, 1);
  if (source.welcome === null || found.length === 0) return;
  // Few segments have one.
  const { queueWelcomes } = require("./welcomes.ts") as typeof Welcomes;
  yield* queueWelcomes(source, found, now);
}

export function* applyApproval(
  { values, ...place }: FlagChange & { change: "approveMembers" },
  _revision: number,
  { at }: Author,
): Work<void> {
  const source = yield* lockSource(place);
  if (source) yield* approveMembers(source, values, at);
}

/** Takes back the approval of values. A welcome that waits is cancelled once it is due. */
export function* applySuspension({
  values,
  ...place
}: FlagChange & { change: "suspendMembers" }): Work<void> {
  const source = yield* lockSource(place);
  if (source) yield* setApproved(source, values, 0);
}

function* lockSource({ project, environment, segment }: SegmentPlace): Work<SourceRow | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const place = { environmentId, segment };
  return yield* first<SourceRow>(`SELECT * FROM segment_sources WHERE ${ONE} ${FOR_UPDATE}`, place);
}

/** By value. */
function* pageMembers(
  { project, environment, segment }: SegmentPlace,
  { pending, limit, after = "" }: MemberQuery,
): Work<Page<Member>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const rows = yield* all<Member>(
    `SELECT value, count(*) AS submissions FROM memberships
     WHERE ${ONE} AND approved = $approved AND value > $after GROUP BY value ORDER BY value LIMIT $limit`,
    { environmentId, segment, approved: pending ? 0 : 1, after, limit: limit + 1 },
  );
  return { items: rows.slice(0, limit), more: rows.length > limit };
}

/** The values among some that are in a segment, approved or not. */
function* amongMembers(
  { project, environment, segment }: SegmentPlace,
  values: readonly string[],
): Work<{ value: string; approved: number }[]> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  return yield* allAmong(
    values,
    (list) =>
      `SELECT value, max(approved) AS approved FROM memberships WHERE ${ONE} AND value IN ${list} GROUP BY value`,
    { environmentId, segment },
  );
}

/** The state of the members of each segment of an environment. */
export function* memberStates(environmentId: number): Work<MemberState[]> {
  return yield* all<MemberState>(
    `SELECT segment, epoch, revision, left_at AS "leftAt" FROM segment_sources
     WHERE environment_id = $environmentId ORDER BY segment`,
    { environmentId },
  );
}

/** The values that were approved behind a revision of a segment. */
export function* membersSince(environmentId: number, segment: string, revision: number): Work<string[]> {
  const rows = yield* all<{ value: string }>(
    `SELECT DISTINCT value FROM memberships WHERE ${ONE} AND revision > $revision AND approved = 1`,
    { environmentId, segment, revision },
  );
  return rows.map(({ value }) => value);
}

export const memberships = { reads: { page: pageMembers, among: amongMembers } };

/** Tells the targets of its project that a segment has become full. */
function* noticeFull(environmentId: number, segment: string): Work<void> {
  const about = yield* first<{
    projectId: number;
    project: string;
    environment: string;
    revision: number;
  }>(
    `SELECT p.id AS "projectId", p.slug AS project, e.slug AS environment, s.revision
     FROM segments s JOIN environments e ON e.id = s.environment_id JOIN projects p ON p.id = e.project_id
     WHERE s.environment_id = $environmentId AND s.name = $segment`,
    { environmentId, segment },
  );
  if (!about) return;
  const targets = yield* listeningTargets(about.projectId);
  if (targets.length === 0) return;
  // Digests are open for one transaction at a time.
  yield* lockAudit();
  const now = clock.now();
  const notice = noticeOf("segment.full", { ...about, slug: segment, changes: [] }, now, now);
  yield* queueNotices(about.projectId, targets, [notice]);
}
