import { LEARNING } from "../../../forms/limits.ts";
import type { LearnedCounts, NewExample, UnreadExample } from "../../../forms/spam/learning-store.ts";
import {
  MANUAL_SPAM,
  SUBMISSION_STATES as STATES,
  type SubmissionState,
} from "../../../forms/submission-state.ts";
import { bytesOf, textOf } from "../ids.ts";
import { insertRows, runAmong } from "../lists.ts";
import { cutPage, pageCut } from "../pages.ts";
import { OF_FORM, PROJECT_OF_FORM } from "../rows.ts";
import { SKIP_LOCKED, type Work, all, run } from "../work.ts";
import type { KnownSubmission } from "./submissions.ts";

const [SPAM, ARCHIVED] = [STATES.indexOf("spam"), STATES.indexOf("archived")];

/**
 * Has the filters of forms that learn learn from submissions that people move to a folder. Spam is what they mark as spam; good is what
 * they archive, and what they take out of the spam folder that they did not put there. Whatever else they take back is no
 * example any more.
 */
export function* learnMoves(
  moved: readonly (readonly [id: string, KnownSubmission])[],
  folder: SubmissionState,
  at: number,
): Work<void> {
  const isSpam = folder === "spam";
  const isExample = ({ state, spam }: KnownSubmission) =>
    folder !== "inbox" || (state === SPAM && spam !== MANUAL_SPAM);
  const examples = moved.filter(([, row]) => isExample(row));
  yield* keepExamples(
    examples.map(([id, row]) => [bytesOf(id), row.form_id, isSpam ? 1 : 0, at]),
    "DO UPDATE SET spam = excluded.spam, at = excluded.at",
  );
  const others = moved.filter(([, row]) => !isExample(row));
  yield* forgetExamples(others.map(([id]) => id));
}

/** Has the filter of a form learn that an answered submission is a good one, unless it is an example already. */
export function* learnAnswered(
  id: string,
  { learn, form_id, state }: KnownSubmission,
  at: number,
): Work<void> {
  if (learn === 1 && state !== SPAM) yield* keepExamples([[bytesOf(id), form_id, 0, at]], "DO NOTHING");
}

function keepExamples(rows: [Uint8Array, number, number, number][], onConflict: string): Work<void> {
  return insertRows(
    "INSERT INTO learned (submission, form_id, spam, at)",
    rows,
    `ON CONFLICT (submission) ${onConflict}`,
  );
}

/** Removes the examples that some submissions are. */
export function forgetExamples(ids: readonly string[]): Work<void> {
  return runAmong(ids.map(bytesOf), (list) => `DELETE FROM learned WHERE submission IN ${list}`);
}

/** Spam that is searched at most for what people marked, when a form begins to learn. */
const MAX_SEARCHED = 10_000;

/** Has a form learn from what people marked before. */
export function* learnBefore(key: string): Work<void> {
  const searched = (columns: string, state: number, most: number) =>
    `SELECT ${columns} FROM submissions
     WHERE form_id = (SELECT id FROM forms WHERE key = $key) AND state = ${state} ORDER BY id DESC LIMIT ${most}`;
  const sql = (from: string, spam: number) =>
    `INSERT INTO learned (submission, form_id, spam, at) SELECT id, form_id, ${spam}, created_at FROM (${from}) AS found
     WHERE true ON CONFLICT (submission) DO NOTHING`;
  const spam = searched("id, form_id, created_at, spam", SPAM, MAX_SEARCHED);
  const marked = `SELECT id, form_id, created_at FROM (${spam}) AS searched WHERE spam = $manual ORDER BY id DESC
    LIMIT ${LEARNING.examples}`;
  yield* run(sql(marked, 1), { key, manual: MANUAL_SPAM });
  yield* run(sql(searched("id, form_id, created_at", ARCHIVED, LEARNING.examples), 0), { key });
}

const OF_PROJECT = `FROM forms f CROSS JOIN learned l
  WHERE f.learn = 1 AND f.deleted = 0 AND ${PROJECT_OF_FORM} = $project AND l.form_id = f.id AND l.hashes IS NOT NULL`;

/** How many examples a project has of each kind, and a number that differs once they have changed. */
function* countLearned(project: string): Work<LearnedCounts> {
  const rows = yield* all<{ spam: number; count: number; stamp: number }>(
    `SELECT l.spam, count(*) AS count, CAST(sum(l.at) AS BIGINT) AS stamp ${OF_PROJECT} GROUP BY l.spam`,
    { project },
  );
  const of = (kind: number) => rows.find(({ spam }) => spam === kind);
  const [spam, good] = [of(1), of(0)];
  const stamp = `${spam?.count ?? 0}:${spam?.stamp ?? 0}:${good?.count ?? 0}:${good?.stamp ?? 0}`;
  const most = LEARNING.examples;
  return { spam: Math.min(spam?.count ?? 0, most), good: Math.min(good?.count ?? 0, most), stamp };
}

/** The hashes of the newest examples of a project, of each kind. */
function* readLearned(project: string): Work<{ spam: Uint8Array[]; good: Uint8Array[] }> {
  const newest = (spam: 0 | 1) =>
    all<{ hashes: Uint8Array }>(
      `SELECT l.hashes ${OF_PROJECT} AND l.spam = ${spam} ORDER BY l.at DESC, l.submission DESC LIMIT ${LEARNING.examples}`,
      { project },
    );
  const [spam, good] = [yield* newest(1), yield* newest(0)];
  return { spam: spam.map(({ hashes }) => hashes), good: good.map(({ hashes }) => hashes) };
}

/** Examples at most that are still to be read, with the data of those submissions that exist. */
function* listUnread(limit: number): Work<UnreadExample[]> {
  const rows = yield* all<{ id: Uint8Array; data: string | null }>(
    `SELECT l.submission AS id, (SELECT s.data FROM forms f CROSS JOIN submissions s
       WHERE f.id = l.form_id AND ${OF_FORM} AND s.id = l.submission) AS data
     FROM learned l WHERE l.hashes IS NULL LIMIT $limit`,
    { limit: limit + 1 },
    pageCut("data"),
  );
  return cutPage(rows, limit, ({ id, data }) => ({ id: textOf(id), data })).items;
}

/** Keeps what was read of examples, forgets those of submissions that are gone, and the oldest ones past the limit of their form. */
function* keepRead(examples: readonly NewExample[]): Work<void> {
  for (const { id, hashes } of examples) {
    const sql = hashes === null ? "DELETE FROM learned" : "UPDATE learned SET hashes = $hashes";
    const params = { id: bytesOf(id), ...(hashes !== null && { hashes }) };
    yield* run(`${sql} WHERE submission = $id AND hashes IS NULL`, params);
  }
  const forms = yield* all<{ form: number; spam: number }>(
    "SELECT form_id AS form, spam FROM learned GROUP BY form_id, spam HAVING count(*) > $most",
    { most: LEARNING.examples },
  );
  for (const params of forms) {
    const old = yield* all<{ id: Uint8Array }>(
      `SELECT submission AS id FROM learned WHERE form_id = $form AND spam = $spam
       ORDER BY at DESC, submission DESC LIMIT $limit OFFSET ${LEARNING.examples} ${SKIP_LOCKED}`,
      { ...params, limit: LEARNING.examples },
    );
    yield* forgetExamples(old.map(({ id }) => textOf(id)));
  }
}

export const learning = {
  reads: { counts: countLearned, unread: listUnread },
  readsInTurns: { examples: readLearned },
  writes: { keep: keepRead },
  weights: {
    keep: (examples: readonly NewExample[]) =>
      examples.reduce((sum, { hashes }) => sum + (hashes?.length ?? 0) + 100, 0),
  },
};
