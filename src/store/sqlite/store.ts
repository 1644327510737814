import { runAtOnce, runWork } from "./run.ts";
import { existsSync, statSync } from "node:fs";
import type { Store } from "../../app.ts";
import { VERSION_TTL_MS } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import { readActivity } from "./activity.ts";
import { listAttempts } from "./attempts.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { checkDatabase } from "./check.ts";
import type { WriteArgs, WriteName, WriteResult } from "./commit.ts";
import { connect } from "./connection.ts";
import { countDeliveries, findDelivery, pageDeliveries } from "./deliveries.ts";
import { sqliteError } from "./errors.ts";
import { decide } from "./intake.ts";
import { findAged, scanAllSubmissions } from "./erasure.ts";
import type { Claim } from "./migrate.ts";
import { deliveryContent, nextDelivery } from "./outbox.ts";
import { indexBacklog } from "./search-index.ts";
import { findSession, findSessionById, pageSessions } from "./sessions.ts";
import { close, query } from "./statements.ts";
import {
  countFileBytes,
  findSubmission,
  listFiles,
  listLoose,
  listSubmissions,
  newestSubmission,
  unreferencedFiles,
} from "./submissions.ts";
import { listMarks } from "./submission-marks.ts";
import { newestOfForms, submissionsBeside } from "./submission-order.ts";
import { scanSubmissions } from "./submission-scan.ts";
import {
  countSubmissions,
  countUnread,
  findWrongCounts,
  listCounts,
  sumStored,
} from "../sql/submission-counts.ts";
import { currentVersion } from "../sql/version.ts";
import { type Runner, WEIGHT } from "../sql/writes.ts";
import { flagSlices } from "../sql/flag-slices.ts";
import { accessSlices } from "../sql/access-slices.ts";
import { deliverySlices } from "../sql/delivery-slices.ts";
import { formSlices } from "../sql/form-slices.ts";
import { setupSlices } from "../sql/setup-slices.ts";
import { inlineWriter, threadWriter } from "./writer.ts";

const IN_INBOX = { kind: "stored", spam: null } as const;

/**
 * Opens the store in a SQLite file, which is created if it does not exist. A server commits on a `thread` of its own, a
 * command `inline`. An older schema is migrated only once `claim` has returned. Throws `unavailable`,
 * `forbidden` or `unsupported` where the file cannot be used.
 */
export function openSqliteStore(file: string, writing: "thread" | "inline", claim?: Claim): Store {
  const db = connect(file, claim && { claim });
  const writer = writing === "thread" ? threadWriter(file) : inlineWriter(db);
  const dataVersion = query<{ data_version: number }, []>(db, "PRAGMA data_version");
  const watchers: (() => void)[] = [];
  let knownDataVersion: number | null = null;
  let version = 0;
  let changedAt = 0;

  const read = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error);
    }
  };
  const write = <N extends WriteName>(
    name: N,
    args: WriteArgs<N>,
    weight = WEIGHT,
  ): Promise<WriteResult<N>> => writer.write({ name, args }, weight) as Promise<WriteResult<N>>;

  const runner: Runner = {
    read: (work) => read(() => runWork(db, work())),
    readAtOnce: (work) => read(() => runAtOnce(db, work)),
    write: (name, args, weight = WEIGHT) => writer.write({ name, args }, weight) as never,
  };

  return {
    ...setupSlices(runner),
    ...flagSlices(runner),
    ...accessSlices(runner),
    ...formSlices(runner),
    ...deliverySlices(runner),
    submissions: {
      async insert(submission, isAbandoned) {
        const { id, formKey, data, createdAt, files } = submission;
        const { conditions = null, deliveries = [], meta = null } = submission;
        const args: WriteArgs<"insertSubmission"> = [
          id,
          formKey,
          data,
          createdAt,
          files,
          conditions,
          deliveries,
          meta,
        ];
        const write = { name: "insertSubmission", args } as const;
        const insertion = await writer.write(write, data.length * 2, isAbandoned);
        return (insertion as WriteResult<"insertSubmission">) ?? IN_INBOX;
      },
      list: (form, limit, before, states) => read(() => listSubmissions(db, form, limit, before, states)),
      scan: (form, scan) => read(() => scanSubmissions(db, form, scan)),
      find: (id) => read(() => findSubmission(db, id)),
      beside: (form, id, direction, states, limit) =>
        read(() => submissionsBeside(db, form, id, direction, states, limit)),
      newestOf: (query) => read(() => newestOfForms(db, query)),
      mark: (ids, mark, deliveries, by) =>
        write("markSubmissions", [ids, mark, deliveries, by], WEIGHT * ids.length),
      marks: (id) => read(() => listMarks(db, id)),
      updateIndex: () => write("updateIndex", []),
      indexBacklog: () => read(() => indexBacklog(db)),
      count: (form, states) => runner.read(() => countSubmissions(form, states)),
      counts: () => runner.read(listCounts),
      stored: (formKey, spans) => runner.read(() => sumStored(formKey, spans)),
      unread: () => runner.read(countUnread),
      wrongCounts: () => runner.read(findWrongCounts),
      recount: () => runner.write("recountSubmissions", []),
      foresee: (formKey, now, conditions) => read(() => decide(db, formKey, now, conditions)),
      clearExpired: (now, limit) => write("clearExpired", [now, limit]),
      delete: (ids, states = SUBMISSION_STATES) =>
        write("deleteSubmissions", [ids, states], WEIGHT + 40 * ids.length),
      aged: (query) => read(() => findAged(db, query)),
      deleteAged: (aged, ids) => write("deleteAged", [aged, ids]),
      scanAll: (after, limit) => read(() => scanAllSubmissions(db, after, limit)),
      purge: (submissions, replies) => write("purgeSubmissions", [submissions, replies]),
      clearDeleted: (limit) => write("clearDeleted", [limit]),
      files: (after, limit) => read(() => listFiles(db, after, limit)),
      fileBytes: () => read(() => countFileBytes(db)),
      looseFiles: (limit) => read(() => listLoose(db, limit)),
      forgetLooseFiles: (keys) => write("forgetLoose", [keys]),
      unreferenced: (keys) => read(() => unreferencedFiles(db, keys)),
      import(formKey, submissions) {
        const bytes = submissions.reduce((sum, { data }) => sum + data.length * 2, 0);
        return write("importSubmissions", [formKey, submissions], WEIGHT + bytes);
      },
      newestId: () => read(() => newestSubmission(db)),
      rewrite: () => write("rewriteFile", []),
    },
    deliveries: {
      page: (options) => read(() => pageDeliveries(db, options)),
      find: (id) => read(() => findDelivery(db, id)),
      attempts: (id) => read(() => listAttempts(db, id)),
      turn: (turn) => write("takeTurn", [turn]),
      nextAt: (blocked) => read(() => nextDelivery(db, blocked)),
      release: (holder, now) => write("releaseLeases", [holder, now]),
      content: (submission) => read(() => deliveryContent(db, submission)),
      cancelTargetless: (removeAt, limit) => write("cancelTargetless", [removeAt, limit]),
      retry: (ids, now) => write("retryDeliveries", [ids, now]),
      retryFailed: (formKey, now, limit) => write("retryFailed", [formKey, now, limit]),
      clearEnded: (now, limit) => write("clearEnded", [now, limit]),
      claimAlert: (target, now, until) => write("claimAlert", [target, now, until]),
      countQueued: (atMost) => read(() => countDeliveries(db, "queued", atMost)),
      countFailed: (atMost) => read(() => countDeliveries(db, "failed", atMost)),
    },
    sessions: {
      insert: (session, password) => write("insertSession", [session, password]),
      find: (hash) => read(() => findSession(db, hash)),
      findById: (id) => read(() => findSessionById(db, id)),
      page: (user, options) => read(() => pageSessions(db, user, options)),
      markSeen: (hash, at) => write("markSeen", [hash, at]),
      delete: (id) => write("deleteSession", [id]),
      deleteByHash: (hash) => write("deleteSessionByHash", [hash]),
      insertLink: (link) => write("insertLink", [link]),
      spendLink: (hash, now, session) => write("spendLink", [hash, now, session]),
      clearEnded: (until, limit) => write("clearEndedSessions", [until, limit]),
    },
    async apply(changes, version, by) {
      if (!(await runner.write("apply", [changes, version, by], WEIGHT * changes.length)))
        throw new AppError("conflict", "another change was applied first: try again", {
          reason: "outdated",
        });
      knownDataVersion = null;
      changedAt = performance.now();
      for (const changed of watchers) changed();
    },
    version: () =>
      read(() => {
        // Cheaper than reading the version (https://www.sqlite.org/pragma.html#pragma_data_version).
        const { data_version: current } = dataVersion.get()!;
        if (current !== knownDataVersion) version = runWork(db, currentVersion());
        knownDataVersion = current;
        return version;
      }),
    watch: (changed) => void watchers.push(changed),
    check: () => read(() => checkDatabase(db)),
    opened: () => writer.opened,
    ping: () => requireAnswer(async () => runWork(db, currentVersion())),
    // A write without a change waits for queued writes and locks, but needs no fsync.
    ready: () => requireAnswer(() => write("probe", [])),
    activity: () => read(() => readActivity(db)),
    stats: async () => ({ ...writer.stats(), bytes: databaseBytes(file) }),
    async close() {
      await writer.close();
      close(db);
      // A server notices changes of this process within `VERSION_TTL_MS`, so that a script may rely on them once the
      // process has ended. The last connection to close removes the log: without it, no server is running.
      if (writing === "inline" && changedAt > 0 && existsSync(`${file}-wal`)) {
        const left = changedAt + VERSION_TTL_MS + 1 - performance.now();
        if (left > 0) await Bun.sleep(left);
      }
    },
  };
}

async function requireAnswer(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("unavailable", "the database does not answer", { cause: error });
  }
}

function databaseBytes(file: string): number {
  return ["", "-wal"].reduce(
    (sum, end) => sum + (statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
