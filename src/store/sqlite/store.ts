import { runAtOnce, runWork } from "./run.ts";
import { existsSync, statSync } from "node:fs";
import type { Store } from "../../app.ts";
import { VERSION_TTL_MS } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import { readActivity } from "./activity.ts";
import { listAttempts } from "./attempts.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { checkDatabase } from "./check.ts";
import { listCodeSlugs, listCodeUploads, packLists, pageCode } from "./code-references.ts";
import type { WriteArgs, WriteName, WriteResult } from "./commit.ts";
import { connect } from "./connection.ts";
import { countDeliveries, findDelivery, pageDeliveries } from "./deliveries.ts";
import { sqliteError } from "./errors.ts";
import { countFeedback, pageFeedback } from "./feedback.ts";
import {
  findFlag,
  flagsOfEnvironment,
  listFlags,
  missingFlags,
  pageFlags,
  projectOfKeys,
  selectEnvironment,
} from "./flags.ts";
import { listStatuses, pageHeads } from "./flag-overviews.ts";
import { findForm, findFormByKey, formRecords, pageForms } from "./forms.ts";
import { findChange, pageChanges, recentChanges } from "./history.ts";
import { decide } from "./intake.ts";
import { findAged, scanAllSubmissions } from "./erasure.ts";
import type { Claim } from "./migrate.ts";
import { deliveryContent, nextDelivery } from "./outbox.ts";
import { previewsOfEnvironment } from "./previews.ts";
import { listReads } from "./reads.ts";
import { environmentRow } from "../sql/rows.ts";
import { findDue, findScheduled, nextScheduled, pageScheduled, upcomingChanges } from "./scheduled.ts";
import { indexBacklog } from "./search-index.ts";
import { findSegment, listSegments, pageSegments, segmentsOfEnvironment } from "./segments.ts";
import { findSession, findSessionById, pageSessions } from "./sessions.ts";
import { readSetup } from "./setup.ts";
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
} from "./submission-counts.ts";
import { readTallies, sumTallies } from "./tallies.ts";
import { findTarget, listTargets } from "./targets.ts";
import { findToken, listTokens, pageTokens } from "./tokens.ts";
import { findUser, listAdmins, pageUsers, passwordOf } from "./users.ts";
import { currentVersion } from "../sql/version.ts";
import type { Runner } from "../sql/writes.ts";
import { accessSlices } from "../sql/access-slices.ts";
import { setupSlices } from "../sql/setup-slices.ts";
import { inlineWriter, threadWriter } from "./writer.ts";

/** Approximate bytes of a write other than a submission. */
const WEIGHT = 1000;
const TALLY_WEIGHT = 200;

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
  const selectionOf = ({ id, revision, metadata }: { id: number; revision: number; metadata: string }) => ({
    revision,
    metadata,
    flags: () => read(() => flagsOfEnvironment(db, id)),
    previews: () => read(() => previewsOfEnvironment(db, id)),
    segments: () => read(() => segmentsOfEnvironment(db, id)),
  });
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
    ...accessSlices(runner),
    changes: {
      page: (project, options) => read(() => pageChanges(db, project, options)),
      find: (project, revision) => read(() => findChange(db, project, revision)),
      recent: (since, limit) => read(() => recentChanges(db, since, limit)),
    },
    flags: {
      list: (project, environment) => read(() => listFlags(db, project, environment)),
      page: (project, environment, options) => read(() => pageFlags(db, project, environment, options)),
      find: (where) => read(() => findFlag(db, where)),
      heads: (project, options) => read(() => pageHeads(db, project, options)),
      statuses: (project, slugs) => read(() => listStatuses(db, project, slugs)),
      select: (projectKey, environmentKey) =>
        read(() => {
          const environment = selectEnvironment(db, projectKey, environmentKey);
          return environment && selectionOf(environment);
        }),
      selectIn: (project, environment) =>
        read(() => selectionOf(runWork(db, environmentRow(project, environment)))),
      projectOf: (projectKey, environmentKey) => read(() => projectOfKeys(db, projectKey, environmentKey)),
      missing: (project, slugs) => read(() => missingFlags(db, project, slugs)),
      markRead: (reads) => write("markRead", [reads]),
      reads: (project, environment) => read(() => listReads(db, project, environment)),
    },
    feedback: {
      insert: (feedback, recent) => write("insertFeedback", [feedback, recent]),
      page: (place, options) => read(() => pageFeedback(db, place, options)),
      count: (place, after, limit) => read(() => countFeedback(db, place, after, limit)),
      delete: (project, id) => write("deleteFeedback", [project, id]),
      deleteSome: (place, limit) => write("deleteSomeFeedback", [place, limit]),
    },
    segments: {
      list: (project, environment) => read(() => listSegments(db, project, environment)),
      page: (project, environment, options) => read(() => pageSegments(db, project, environment, options)),
      find: (where) => read(() => findSegment(db, where)),
    },
    scheduled: {
      page: (project, environment, options) => read(() => pageScheduled(db, project, environment, options)),
      find: (project, environment, id) => read(() => findScheduled(db, project, environment, id)),
      nextAt: () => read(() => nextScheduled(db)),
      upcoming: (atMost) => read(() => upcomingChanges(db, atMost)),
      findDue: (now) => read(() => findDue(db, now)),
    },
    code: {
      uploads: (project) => read(() => listCodeUploads(db, project)),
      slugs: (upload, after, limit) => read(() => listCodeSlugs(db, upload, after, limit)),
      page: (project, options) => read(() => pageCode(db, project, options)),
      replace(project, upload, lists, most) {
        const packed = packLists(lists);
        return write("replaceCode", [project, upload, packed, most], WEIGHT + packed.length * 2);
      },
      remove: (project, place) => write("removeCode", [project, place]),
    },
    tallies: {
      read: (query) => read(() => readTallies(db, query)),
      sum: (query) => read(() => sumTallies(db, query)),
      add: (tallies) => write("addTallies", [tallies], WEIGHT + tallies.length * TALLY_WEIGHT),
      clear: (kind, before, limit) => write("clearTallies", [kind, before, limit]),
    },
    setup: {
      read: (projects, forms) => read(() => readSetup(db, projects, forms)),
    },
    forms: {
      list: () => read(() => formRecords(db)),
      page: (options) => read(() => pageForms(db, options)),
      find: (slugOrKey) => read(() => findForm(db, slugOrKey)),
      findByKey: (key) => read(() => findFormByKey(db, key)),
    },
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
      count: (form, states) => read(() => countSubmissions(db, form, states)),
      counts: () => read(() => listCounts(db)),
      stored: (formKey, spans) => read(() => sumStored(db, formKey, spans)),
      unread: () => read(() => countUnread(db)),
      wrongCounts: () => read(() => findWrongCounts(db)),
      recount: () => write("recountSubmissions", []),
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
    targets: {
      list: (formKey) => read(() => listTargets(db, formKey)),
      find: (id) => read(() => findTarget(db, id)),
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
    tokens: {
      list: () => read(() => listTokens(db)),
      page: (options) => read(() => pageTokens(db, options)),
      find: (hash) => read(() => findToken(db, hash)),
    },
    users: {
      page: (options) => read(() => pageUsers(db, options)),
      find: (name) => read(() => findUser(db, name)),
      password: (name) => read(() => passwordOf(db, name)),
      admins: (limit) => read(() => listAdmins(db, limit)),
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
      if (!(await write("apply", [changes, version, by], WEIGHT * changes.length)))
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
