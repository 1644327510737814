import type { Caller } from "../access/caller.ts";
import { change } from "../access/door.ts";
import { hasScope, requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { Page } from "../base/pages.ts";
import { MEMBER_LIMITS } from "../flags/limits.ts";
import { memberValue } from "../flags/members.ts";
import type { FlagSelection } from "../flags/store.ts";
import { approveMembers, suspendMembers } from "../flags/plan.ts";
import { type SegmentPlace, type SegmentRecord, noSuchSegment } from "../flags/segment.ts";
import { requireUnlocked } from "../projects/locks.ts";
import type { Member, MemberQuery, MembershipsApp } from "./store.ts";

/**
 * The values of a segment that a form fills, approved or pending; empty for a segment with a rule. Throws `not_found`,
 * and `forbidden` without `forms:read` for the form.
 */
export async function listMembers(
  app: MembershipsApp,
  caller: Caller,
  place: SegmentPlace,
  query: MemberQuery,
): Promise<Page<Member>> {
  requireScope(caller, "flags:read", place);
  await findSegment(app, caller, place);
  return app.store.memberships.page(place, query);
}

/**
 * The sorted members of segments that forms fill, for a flagd file. Throws `too_large` for a segment with more than
 * 10,000, `forbidden` without `forms:read` for a form.
 */
export async function exportMembers(
  caller: Caller,
  selection: Pick<FlagSelection, "membersSince">,
  segments: readonly SegmentRecord[],
): Promise<Map<string, string[]>> {
  const all = new Map<string, string[]>();
  for (const segment of segments) {
    const { name, source, counts } = segment;
    if (!source) continue;
    requireForm(caller, segment);
    if (counts && counts.members > MEMBER_LIMITS.exported)
      throw new AppError("too_large", `segment "${name}" has more than ${MEMBER_LIMITS.exported} members`, {
        hint: "export it without its members",
      });
    const values = await selection.membersSince(name, 0);
    all.set(
      name,
      values.toSorted((a, b) => (a < b ? -1 : 1)),
    );
  }
  return all;
}

/**
 * Approves values of a segment, or all pending values with null. Values that are approved already stay so. Returns the
 * segment. Throws `not_found` for a value that no submission has, and like {@link listMembers} and `requireUnlocked`.
 */
export async function approve(
  app: MembershipsApp,
  caller: Caller,
  place: SegmentPlace,
  values: readonly string[] | null,
): Promise<SegmentRecord> {
  requireScope(caller, "flags:write", place);
  await change(app, caller, async () => {
    const segment = await findSegment(app, caller, place);
    await requireUnlocked(app, caller, place);
    const pending = segment.counts?.pending ?? 0;
    const given = values && (await valuesAmong(app, place, values, 0));
    const approved = given === null ? pending : given.length;
    const changes = approved === 0 ? [] : [approveMembers(place, given, { pending, approved })];
    return { changes, result: undefined };
  });
  return findSegment(app, caller, place);
}

/**
 * Takes back the approval of values of a segment, which are pending again; a mail to them that waits is not sent. Returns the
 * segment. Throws `invalid` for a segment without approval, and as {@link approve}.
 */
export async function suspend(
  app: MembershipsApp,
  caller: Caller,
  place: SegmentPlace,
  values: readonly string[],
): Promise<SegmentRecord> {
  requireScope(caller, "flags:write", place);
  await change(app, caller, async () => {
    const { name, source, counts } = await findSegment(app, caller, place);
    await requireUnlocked(app, caller, place);
    if (source?.approve !== true)
      throw new AppError("invalid", `the members of segment "${name}" need no approval`);
    const given = await valuesAmong(app, place, values, 1);
    const changes = given.length === 0 ? [] : [suspendMembers(place, given, counts?.pending ?? 0)];
    return { changes, result: undefined };
  });
  return findSegment(app, caller, place);
}

/** The values among some that are approved in a segment (1), or pending (0). Throws `not_found` for one that it has not. */
async function valuesAmong(
  app: MembershipsApp,
  place: SegmentPlace,
  values: readonly string[],
  state: 0 | 1,
): Promise<string[]> {
  const named = values.map((value) => ({ value, normal: memberValue(value) }));
  const known = await app.store.memberships.among(
    place,
    named.flatMap(({ normal }) => normal ?? []),
  );
  const approved = new Map(known.map((each) => [each.value, each.approved]));
  for (const { value, normal } of named)
    if (normal === null || !approved.has(normal))
      throw new AppError(
        "not_found",
        `"${value.slice(0, 100)}" is not a value of segment "${place.segment}"`,
        { reason: "member-value-not-found" },
      );
  return known.flatMap((each) => (each.approved === state ? [each.value] : []));
}

async function findSegment(app: MembershipsApp, caller: Caller, place: SegmentPlace): Promise<SegmentRecord> {
  const segment = await app.store.segments.find(place);
  if (!segment) throw noSuchSegment(place.segment);
  requireForm(caller, segment);
  return segment;
}

/** Throws `forbidden` without `forms:read` where the form of a segment is. */
function requireForm(caller: Caller, { name, source }: SegmentRecord): void {
  if (source && !hasScope(caller, "forms:read", { project: source.project }))
    throw new AppError(
      "forbidden",
      `the ${caller.type} "${caller.name}" lacks the scope forms:read where the form of segment "${name}" is`,
    );
}
