import { AppError } from "../../base/errors.ts";
import { noSuchForm } from "../../forms/form.ts";
import { type Insertion, type StoredSubmission, UNKNOWN_OUTCOME } from "../../forms/store.ts";
import { POSTGRES_UNKNOWN_MS } from "../limits.ts";
import { type CommitStats, createCommitStats } from "../commit-stats.ts";
import { insertSubmission } from "../sql/new-submissions.ts";
import { createUncounted } from "../sql/submission-counts.ts";
import { bytesOf } from "../sql/submission-ids.ts";
import { FOR_UPDATE, type Work, run } from "../sql/work.ts";
import { textArray } from "./arrays.ts";
import { BATCH_LIMITS, type Outcome, createBatches } from "./batches.ts";
import type { Connections } from "./connection.ts";
import {
  DeadlineError,
  UnknownOutcomeError,
  isLost,
  isParentGone,
  isRepeatable,
  postgresError,
} from "./errors.ts";
import { MAX_TRIES, runWork } from "./run.ts";
import { findKnown, insertBatch } from "./submission-batch.ts";

/** Milliseconds between two attempts to send submissions again. */
const RETRY_MS = 100;

/** Submissions with conditions in one transaction, of which each takes some round trips. */
const CONDITIONAL = { ...BATCH_LIMITS, items: 50, inFlight: 1 };

const STORED: Insertion = { kind: "stored", spam: null };

export type Intake = {
  insert: (submission: StoredSubmission, isAbandoned?: () => boolean) => Promise<Insertion>;
  queued: () => { queued: number; queuedBytes: number };
  commits: CommitStats;
  /** Finishes what waits. */
  close: () => Promise<void>;
};

/**
 * Inserts submissions in batches. One whose answer was lost is sent again: its id makes it one row. Where that stays unknown
 * for `POSTGRES_UNKNOWN_MS`, it is refused, and `withdraw` is given its id, to delete it once the database answers again.
 */
export function createIntake(connections: Connections, withdraw: (ids: string[]) => void): Intake {
  const commits = createCommitStats();

  /** Throws an error of the driver, or an AppError where the outcome stays unknown. `attempt` learns whether it is a repeat. */
  const send = async <T>(ids: string[], attempt: (isAgain: boolean) => Promise<T>): Promise<T> => {
    const until = performance.now() + POSTGRES_UNKNOWN_MS;
    let isSent = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(isSent);
      } catch (error) {
        const isUnknown =
          isLost(error) || error instanceof DeadlineError || error instanceof UnknownOutcomeError;
        isSent ||= isUnknown;
        const passes =
          isRepeatable(error) ||
          (isParentGone(error) && tries < MAX_TRIES) ||
          (isSent && isUnavailable(error));
        if (!isUnknown && !passes) throw error;
        if (performance.now() > until) {
          withdraw(ids);
          throw unknownOutcome(error);
        }
        await Bun.sleep(Math.random() * RETRY_MS * (isUnknown ? 2 : 0.2));
      }
    }
  };

  /** Commits items together, and where that fails one after another, so that only the faulty one is refused. */
  const commitEach = async <T>(
    items: StoredSubmission[],
    commit: (items: StoredSubmission[]) => Promise<Outcome<T>[]>,
  ): Promise<Outcome<T>[]> => {
    try {
      return await commit(items);
    } catch (error) {
      const known = postgresError(error);
      if (items.length === 1 || isUnavailable(known)) return items.map(() => ({ error: known }));
      const outcomes: Outcome<T>[] = [];
      for (const item of items) outcomes.push(...(await commitEach([item], commit)));
      return outcomes;
    }
  };

  const commitPlain = async (batch: StoredSubmission[]): Promise<Outcome<Insertion>[]> => {
    const query = (text: string, params?: Parameters<Connections["query"]>[2]) =>
      connections.query("inserts", text, params);
    const { stored, isRepeat } = await send(idsOf(batch), async (isAgain) => ({
      stored: await runWork(query, insertBatch(batch)),
      isRepeat: isAgain,
    }));
    const missing = batch.filter(({ id }) => !stored.has(id));
    if (missing.length === 0 && stored.size === batch.length) return batch.map(() => ({ value: STORED }));
    const known = await runWork(query, findKnown(missing));
    const answered = new Set<string>();
    return batch.map(({ id, formKey }) => {
      const isStored = !answered.has(id) && (stored.has(id) || (isRepeat && known.stored.has(id)));
      answered.add(id);
      if (isStored) return { value: STORED };
      if (stored.has(id) || known.stored.has(id))
        return { error: new Error(`two submissions have the id ${id}`) };
      return { error: known.forms.has(formKey) ? swept() : noSuchForm(formKey) };
    });
  };

  const commitConditional = async (batch: StoredSubmission[]): Promise<Outcome<Insertion>[]> => {
    const insertions = await send(idsOf(batch), (isAgain) =>
      connections.transaction("ISOLATION LEVEL READ COMMITTED", (query) =>
        runWork(query, insertAll(batch, isAgain)),
      ),
    );
    return insertions.map((value) => ({ value }));
  };

  const plain = createBatches<StoredSubmission, Insertion>(
    (batch) => commitEach(batch, commitPlain),
    commits,
  );
  const conditional = createBatches<StoredSubmission, Insertion>(
    (batch) => commitEach(batch, commitConditional),
    commits,
    CONDITIONAL,
  );
  return {
    insert(submission, isAbandoned) {
      const batches = isPlain(submission) ? plain : conditional;
      return batches.add(submission, submission.data.length * 2, isAbandoned);
    },
    queued() {
      const [one, other] = [plain.queued(), conditional.queued()];
      return { queued: one.queued + other.queued, queuedBytes: one.queuedBytes + other.queuedBytes };
    },
    commits,
    async close() {
      await Promise.all([plain.drained(), conditional.drained()]);
    },
  };
}

/** Whether nothing that is stored decides about a submission, nor about a delivery of it. */
function isPlain({ conditions, deliveries = [] }: StoredSubmission): boolean {
  return conditions === undefined && deliveries.every(({ limit }) => limit === undefined);
}

/** With `isAgain`, submissions that an earlier attempt has stored stay as they are. */
function* insertAll(batch: readonly StoredSubmission[], isAgain: boolean): Work<Insertion[]> {
  const known = isAgain ? (yield* findKnown(batch)).stored : new Map<string, Insertion>();
  yield* lockForms(batch.map(({ formKey }) => formKey));
  const uncounted = createUncounted();
  const insertions: Insertion[] = [];
  for (const { conditions = null, deliveries = [], ...submission } of batch) {
    const { id, formKey, createdAt, files } = submission;
    let insertion = known.get(id);
    if (!insertion) {
      // What is inserted before counts towards the limits of what follows.
      if (conditions?.maxSubmissions != null) yield* uncounted.count();
      insertion = yield* insertSubmission(submission, conditions, deliveries);
      if (insertion.kind === "stored") {
        if (files.length > 0) yield* takeNote(id);
        uncounted.add(formKey, insertion.spam === null ? "inbox" : "spam", true, createdAt);
      }
    }
    insertions.push(insertion);
  }
  yield* uncounted.count();
  return insertions;
}

/** Locks the forms in one order, so that batches of several replicas do not wait for each other in a circle. */
function* lockForms(keys: readonly string[]): Work<void> {
  const distinct = [...new Set(keys)];
  if (distinct.length === 1) return;
  yield* run(`SELECT id FROM forms WHERE key = ANY (CAST($keys AS TEXT[])) ORDER BY id ${FOR_UPDATE}`, {
    keys: textArray(distinct),
  });
}

/** Removes the note of the files of a submission. Throws `unavailable` where a sweep has taken it. */
function* takeNote(id: string): Work<void> {
  const taken = yield* run("DELETE FROM upload_notes WHERE id = $id AND swept = 0", { id: bytesOf(id) });
  if (taken === 0) throw swept();
}

function idsOf(batch: readonly StoredSubmission[]): string[] {
  return batch.map(({ id }) => id);
}

function isUnavailable(error: unknown): boolean {
  const known = postgresError(error);
  return known instanceof AppError && known.code === "unavailable";
}

function swept(): AppError {
  return new AppError("unavailable", "storing the files took too long: send the submission again", {
    retryAfter: 1,
  });
}

function unknownOutcome(cause: unknown): AppError {
  return new AppError(
    "unavailable",
    "the database stopped answering: the submission is withdrawn, send it again",
    {
      reason: UNKNOWN_OUTCOME,
      retryAfter: 1,
      cause,
    },
  );
}
