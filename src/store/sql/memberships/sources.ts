import type { SegmentSource } from "../../../flags/source-card.ts";
import type { FilledSegment } from "../../../forms/form.ts";
import { FILLS, PROJECT_OF_FORM } from "../rows.ts";
import { FOR_UPDATE, FOR_UPDATE_ALONE, type Work, all, first, insert, run, setsOf } from "../work.ts";
import { ONE, type SourceRow, approveMembers, fill } from "./members.ts";

/** Submissions that are read at a time, to be made members. */
const AT_ONCE = 500;

/**
 * Sets or replaces the source of a segment. Its members are then computed from the submissions of the form; others
 * store submissions before or after that, but not at the same time.
 */
export function* putSource(
  environmentId: number,
  segment: string,
  { project, form: slug, ...source }: SegmentSource,
  epoch: number,
): Work<void> {
  const form = yield* first<{ id: number }>(
    `SELECT f.id FROM forms f WHERE f.slug = $slug AND f.deleted = 0 AND ${PROJECT_OF_FORM} = $project`,
    { slug, project },
  );
  if (!form) throw new Error(`the form ${project}:${slug} of a segment does not exist`);
  yield* all(`SELECT id FROM forms WHERE id = $id ${FOR_UPDATE_ALONE}`, { id: form.id });
  const place = { environmentId, segment };
  const before = yield* first<SourceRow>(`SELECT * FROM segment_sources WHERE ${ONE} ${FOR_UPDATE}`, place);
  const kept = { ...source, approve: source.approve ? 1 : 0, welcome: source.welcome ?? null };
  if (before?.form_id === form.id && before.field === source.field) {
    yield* run(`UPDATE segment_sources SET ${setsOf(kept)} WHERE ${ONE}`, { ...place, ...kept });
    // A source without approval has no welcome.
    if (!source.approve) yield* approveMembers({ ...before, welcome: null }, null, 0);
    return;
  }
  yield* dropSource(environmentId, segment);
  const counts = { revision: 1, leftAt: 0, members: 0, pending: 0 };
  yield* insert("segment_sources", { ...place, formId: form.id, ...kept, epoch, ...counts });
  yield* run("UPDATE forms SET fills = 1 WHERE id = $id AND fills = 0", { id: form.id });
  for (let after = 0; ;) {
    const rows = yield* all<{ seq: number; data: string; fills: number }>(
      `SELECT seq, data, CASE WHEN ${FILLS} THEN 1 ELSE 0 END AS fills FROM submissions
       WHERE form_id = $formId AND seq > $after ORDER BY seq LIMIT $limit`,
      { formId: form.id, after, limit: AT_ONCE },
    );
    const row = yield* first<SourceRow>(`SELECT * FROM segment_sources WHERE ${ONE}`, place);
    yield* fill(
      row!,
      rows.flatMap(({ seq, data, fills }) =>
        fills === 0 ? [] : [{ seq, fields: JSON.parse(data) as Record<string, unknown> }],
      ),
    );
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.seq;
  }
}

/** Ends the source of a segment with its members. */
export function* dropSource(environmentId: number, segment: string): Work<void> {
  const place = { environmentId, segment };
  yield* run(`DELETE FROM memberships WHERE ${ONE}`, place);
  if ((yield* run(`DELETE FROM segment_sources WHERE ${ONE}`, place)) > 0) yield* forgetFilling();
}

/** Lets submissions use the fast path again for forms that no longer fill a segment. */
export function* forgetFilling(): Work<void> {
  yield* run(
    "UPDATE forms SET fills = 0 WHERE fills = 1 AND id NOT IN (SELECT form_id FROM segment_sources)",
  );
}

/** The segments that a form fills, by the key of the form. */
export function* filledBy(formKey: string): Work<FilledSegment[]> {
  return yield* all<FilledSegment>(
    `SELECT p.slug AS project, e.slug AS environment, s.segment
     FROM segment_sources s JOIN environments e ON e.id = s.environment_id JOIN projects p ON p.id = e.project_id
     WHERE s.form_id = (SELECT id FROM forms WHERE key = $formKey) ORDER BY p.slug, e.slug, s.segment`,
    { formKey },
  );
}
