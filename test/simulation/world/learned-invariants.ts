import type { Evidence } from "./world.ts";

type Row = { id: string; state: number; spam: string | null; learned: number | null; isRead: number };

/** Every mark of a form that learns is one example, which was read; what was taken back is none. */
export function requireLearned({ db, violated }: Evidence): void {
  const rows = db
    .query<Row, []>(
      `SELECT lower(hex(s.id)) AS id, s.state, s.spam, l.spam AS learned, l.hashes IS NOT NULL AS isRead
       FROM submissions s JOIN forms f ON f.id = s.form_id LEFT JOIN learned l ON l.submission = s.id
       WHERE f.learn = 1`,
    )
    .all();
  for (const { id, state, spam, learned, isRead } of rows) {
    // What left the spam folder is good in the inbox too.
    const wanted = state === 1 ? [spam === "manual" ? 1 : null] : state === 2 ? [0] : [0, null];
    if (!wanted.includes(learned)) violated(`${id} in ${state} for ${spam} was learned as ${learned}`);
    if (learned !== null && isRead === 0) violated(`${id} was never read for the filter`);
  }
  const left = db
    .query<{ count: number }, []>("SELECT count(*) AS count FROM learned WHERE hashes IS NULL")
    .get()!;
  if (left.count > 0) violated(`${left.count} examples are still to be read`);
}
