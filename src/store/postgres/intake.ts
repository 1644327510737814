import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { noSuchForm } from "../../forms/form.ts";
import {
  type Insertion,
  type StoredSubmission,
  UNKNOWN_OUTCOME,
  folderOf,
} from "../../forms/intake/insertion.ts";
import { POSTGRES_UNKNOWN_MS } from "../limits.ts";
import { type CommitStats, createCommitStats } from "../commit-stats.ts";
import type { Measured } from "../../forms/intake/measured.ts";
import { countMeasured } from "../sql/experiments/counting.ts";
import { insertSubmission } from "../sql/submissions/intake.ts";
import { type Uncounted, createUncounted } from "../sql/submissions/counts.ts";
import { bytesOf } from "../sql/ids.ts";
import { FOR_UPDATE, type Work, first, run } from "../sql/work.ts";
import { textArray } from "./arrays.ts";
import { type Outcome, createBatches } from "./batches.ts";
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
import { aboutRefused } from "./withdrawals.ts";
import { findKnown, idsOf, insertBatch } from "./submission-batch.ts";

/** Milliseconds between two attempts to send submissions again. */
const RETRY_MS = 100;

/** Submissions with conditions in one transaction, of which each takes some round trips. */
const CONDITIONAL = { items: 50, bytes: 4_000_000, inFlight: 1 };

const STORED: Insertion = { kind: "stored", spam: null };

export type Intake = {
  insert: (submission: StoredSubmission, isAbandoned?: () => boolean) => Promise<Insertion>;
  queued: () => { queued: number; queuedBytes: number };
  commits: CommitStats;
  /** Finishes what waits. */
  close: () => Promise<void>;
};

/** Progress of a batch: whether an attempt may have stored it, although its answer was lost. */
type Sending = { isSent: boolean };

/**
 * Inserts submissions in batches. A submission whose answer was lost is sent again; its id makes it one row. If the
 * outcome stays unknown for `unknownMs`, it is refused, and `withdraw` gets its id, to delete it when the database
 * answers again. A submission that leaves a mark is not withdrawn, because a repeat may have been answered with it by
 * then: its sender and `report` are told that it may be stored.
 */
export function createIntake(
  connections: Connections,
  withdraw: (ids: string[]) => void,
  report: (error: unknown) => void,
  unknownMs = POSTGRES_UNKNOWN_MS,
): Intake {
  const commits = createCommitStats();

  /** Throws an error of the driver, or an AppError if the outcome stays unknown. */
  const send = async <T>(
    batch: StoredSubmission[],
    sending: Sending,
    attempt: () => Promise<T>,
  ): Promise<T> => {
    const until = clock.steady() + unknownMs;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        const isUnknown =
          isLost(error) || error instanceof DeadlineError || error instanceof UnknownOutcomeError;
        sending.isSent ||= isUnknown;
        const passes =
          isRepeatable(error) ||
          (isParentGone(error) && tries < MAX_TRIES) ||
          (sending.isSent && isUnavailable(error));
        if (!isUnknown && !passes) throw error;
        if (clock.steady() > until) {
          const marked = batch.filter(leavesMark);
          withdraw(idsOf(batch.filter((each) => !marked.includes(each))));
          if (marked.length > 0)
            report(aboutRefused("may be stored, and are kept for repeats of them", idsOf(marked), error));
          throw unknownOutcome(error);
        }
        await clock.sleep(clock.fraction() * RETRY_MS * (isUnknown ? 2 : 0.2));
      }
    }
  };

  type Commit = (items: StoredSubmission[], sending: Sending) => Promise<Outcome<Insertion>[]>;

  /** Commits items together, and if that fails one after another, so that only the faulty one is refused. */
  const commitEach = async (
    items: StoredSubmission[],
    commit: Commit,
    sending: Sending = { isSent: false },
  ): Promise<Outcome<Insertion>[]> => {
    try {
      return await commit(items, sending);
    } catch (error) {
      const known = postgresError(error);
      if (items.length === 1 || isUnavailable(known))
        return items.map((item) => ({ error: refusalOf(item, known) }));
      const outcomes: Outcome<Insertion>[] = [];
      for (const item of items) outcomes.push(...(await commitEach([item], commit, { ...sending })));
      return outcomes;
    }
  };

  const commitPlain: Commit = (batch, sending) => {
    const query = (text: string, params?: Parameters<Connections["query"]>[2]) =>
      connections.query("inserts", text, params);
    return send(batch, sending, async () => {
      const isRepeat = sending.isSent;
      const stored = await runWork(query, insertBatch(batch));
      // Some are stored, whatever becomes of the question why others are not.
      sending.isSent = true;
      if (stored === null) return batch.map(() => ({ value: STORED }));
      const missing = batch.filter(({ id }) => !stored.has(id));
      const known = await runWork(query, findKnown(missing));
      const answered = new Set<string>();
      const outcomes = batch.map(async (each): Promise<Outcome<Insertion>> => {
        const { id, formKey } = each;
        const isStored = !answered.has(id) && (stored.has(id) || (isRepeat && known.stored.has(id)));
        answered.add(id);
        if (isStored) return { value: STORED };
        if (stored.has(id) || known.stored.has(id))
          return { error: new Error(`two submissions have the id ${id}`) };
        if (!known.forms.has(formKey)) return { error: noSuchForm(formKey) };
        // Its form fills segments, or did a moment ago; or the note of its files was swept, which is found again.
        return settled(conditional.add(each, each.data.length * 2));
      });
      return Promise.all(outcomes);
    });
  };

  const commitConditional: Commit = (batch, sending) =>
    send(batch, sending, () =>
      connections.transaction("ISOLATION LEVEL READ COMMITTED", (query) =>
        runWork(query, insertAll(batch, sending.isSent)),
      ),
    );

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

/** The outcome of a submission that another batch commits. */
async function settled(insertion: Promise<Insertion>): Promise<Outcome<Insertion>> {
  try {
    return { value: await insertion };
  } catch (error) {
    return { error };
  }
}

/** Whether nothing that is stored decides about a submission, nor about a delivery of it, nor anything follows from it. */
function isPlain({ conditions, fills, deliveries = [], measured = [] }: StoredSubmission): boolean {
  if (measured.length > 0) return false;
  return conditions === undefined && fills !== true && deliveries.every(({ limit }) => limit === undefined);
}

/** With `isAgain`, submissions that an earlier attempt has stored stay as they are. */
function* insertAll(batch: readonly StoredSubmission[], isAgain: boolean): Work<Outcome<Insertion>[]> {
  const keys = [...new Set(batch.map(({ formKey }) => formKey))];
  if (isAgain || keys.length > 1) yield* lockForms(keys);
  // Read after taking the locks, which the earlier attempt holds until it has ended.
  const known = isAgain ? (yield* findKnown(batch)).stored : new Map<string, Insertion>();
  const uncounted = createUncounted();
  const outcomes: Outcome<Insertion>[] = [];
  const measured: Measured[] = [];
  for (const each of batch) {
    const before = known.get(each.id);
    const outcome: Outcome<Insertion> = before ? { value: before } : yield* insertOne(each, uncounted);
    outcomes.push(outcome);
    const isCounted =
      !before && "value" in outcome && outcome.value.kind === "stored" && folderOf(outcome.value) === "inbox";
    if (isCounted) measured.push(...(each.measured ?? []));
  }
  yield* uncounted.count();
  // At the end and in one order, so that batches do not wait for each other in a circle.
  yield* countMeasured(measured);
  return outcomes;
}

function* insertOne(
  { conditions, deliveries = [], ...submission }: Omit<StoredSubmission, "measured">,
  uncounted: Uncounted,
): Work<Outcome<Insertion>> {
  const { id, formKey, createdAt, files } = submission;
  if (files.length > 0 && !(yield* hasNote(id))) return { error: swept() };
  // Submissions inserted earlier in this batch count towards the limits of this one.
  if (conditions?.maxSubmissions != null || conditions?.quota != null) yield* uncounted.count();
  const insertion = yield* insertSubmission(submission, conditions ?? null, deliveries);
  if (insertion.kind === "stored") {
    if (files.length > 0) yield* run("DELETE FROM upload_notes WHERE id = $id", { id: bytesOf(id) });
    uncounted.add(formKey, folderOf(insertion), true, createdAt);
  }
  return { value: insertion };
}

/** Locks the forms in one order, so that batches of several replicas do not wait for each other in a circle. */
function* lockForms(keys: readonly string[]): Work<void> {
  yield* run(`SELECT id FROM forms WHERE key = ANY (CAST($keys AS TEXT[])) ORDER BY id ${FOR_UPDATE}`, {
    keys: textArray(keys),
  });
}

/** Locks the note of the files of a submission, and returns whether there is one that no sweep has taken. */
function* hasNote(id: string): Work<boolean> {
  const sql = `SELECT 1 AS noted FROM upload_notes WHERE id = $id AND swept = 0 ${FOR_UPDATE}`;
  return (yield* first(sql, { id: bytesOf(id) })) !== undefined;
}

function isUnavailable(error: unknown): boolean {
  const known = postgresError(error);
  return known instanceof AppError && known.code === "unavailable";
}

/** Whether a repeat of a submission is recognized by a mark that the submission leaves. */
function leavesMark({ conditions }: StoredSubmission): boolean {
  return (
    conditions !== undefined && Boolean(conditions.key ?? conditions.recent ?? conditions.challenge?.nonce)
  );
}

function swept(): AppError {
  return new AppError("unavailable", "storing the files took too long: send the submission again", {
    retryAfter: 1,
  });
}

function unknownOutcome(
  cause: unknown,
  message = "the database stopped answering: send the submission again",
): AppError {
  return new AppError("unavailable", message, { reason: UNKNOWN_OUTCOME, retryAfter: 1, cause });
}

/** Converts the error of a batch for the sender of one submission. A submission that leaves a mark stays stored. */
function refusalOf(submission: StoredSubmission, error: unknown): unknown {
  const isUnknown = error instanceof AppError && error.reason === UNKNOWN_OUTCOME;
  if (!isUnknown || !leavesMark(submission)) return error;
  const again = submission.conditions?.key
    ? "sent again with the same idempotency key, it is stored once"
    : "sent again, it counts as a repeat";
  return unknownOutcome(error, `the database stopped answering, and the submission may be stored: ${again}`);
}
