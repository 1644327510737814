import { statSync } from "node:fs";
import type { Store } from "../../app.ts";
import { VERSION_TTL_MS } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import { checkDatabase } from "./check.ts";
import type { WriteArgs, WriteName, WriteResult } from "./commit.ts";
import { connect } from "./connection.ts";
import { listEnvironments } from "./environments.ts";
import { sqliteError } from "./errors.ts";
import { findFlag, flagsOfEnvironment, listFlags, pageFlags, selectEnvironment } from "./flags.ts";
import { findForm, findFormByKey, formRecords, pageForms } from "./forms.ts";
import { findChange, pageChanges } from "./history.ts";
import type { Claim } from "./migrate.ts";
import { findProject, listProjects, pageProjects } from "./projects.ts";
import { listReads } from "./reads.ts";
import { environmentRow } from "./rows.ts";
import { findDue, findScheduled, nextScheduled, pageScheduled } from "./scheduled.ts";
import { findSegment, listSegments, pageSegments, segmentsOfEnvironment } from "./segments.ts";
import { readSetup } from "./setup.ts";
import { close, query } from "./statements.ts";
import {
  countFileBytes,
  countSubmissions,
  findSubmission,
  listFiles,
  listLoose,
  listSubmissions,
  newestSubmission,
  unreferencedFiles,
} from "./submissions.ts";
import { findToken, listTokens, pageTokens } from "./tokens.ts";
import { currentVersion } from "./version.ts";
import { inlineWriter, threadWriter } from "./writer.ts";

/** About how many bytes a write other than a submission holds. */
const WEIGHT = 1000;

/**
 * The store on a SQLite file, which is made where it does not exist. A server commits on a `thread` of its own, a
 * command `inline`. The file is migrated to another schema only once `claim` has returned. Throws `unavailable`,
 * `forbidden` or `unsupported` where the file cannot be used.
 */
export function openSqliteStore(file: string, writing: "thread" | "inline", claim?: Claim): Store {
  const db = connect(file, claim && { claim });
  const writer = writing === "thread" ? threadWriter(file) : inlineWriter(db);
  const dataVersion = query<{ data_version: number }, []>(db, "PRAGMA data_version");
  const watchers: (() => void)[] = [];
  let seen: number | null = null;
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
    segments: () => read(() => segmentsOfEnvironment(db, id)),
  });
  const write = <N extends WriteName>(
    name: N,
    args: WriteArgs<N>,
    weight = WEIGHT,
  ): Promise<WriteResult<N>> => writer.write({ name, args }, weight) as Promise<WriteResult<N>>;

  return {
    projects: {
      list: () => read(() => listProjects(db)),
      page: (asked) => read(() => pageProjects(db, asked)),
      find: (slug) => read(() => findProject(db, slug)),
    },
    environments: {
      list: (project) => read(() => listEnvironments(db, project)),
    },
    changes: {
      page: (project, asked) => read(() => pageChanges(db, project, asked)),
      find: (project, revision) => read(() => findChange(db, project, revision)),
    },
    flags: {
      list: (project, environment) => read(() => listFlags(db, project, environment)),
      page: (project, environment, asked) => read(() => pageFlags(db, project, environment, asked)),
      find: (where) => read(() => findFlag(db, where)),
      select: (projectKey, environmentKey) =>
        read(() => {
          const environment = selectEnvironment(db, projectKey, environmentKey);
          return environment && selectionOf(environment);
        }),
      selectIn: (project, environment) => read(() => selectionOf(environmentRow(db, project, environment))),
      markRead: (reads) => write("markRead", [reads]),
      reads: (project, environment) => read(() => listReads(db, project, environment)),
    },
    segments: {
      list: (project, environment) => read(() => listSegments(db, project, environment)),
      page: (project, environment, asked) => read(() => pageSegments(db, project, environment, asked)),
      find: (where) => read(() => findSegment(db, where)),
    },
    scheduled: {
      page: (project, environment, asked) => read(() => pageScheduled(db, project, environment, asked)),
      find: (project, environment, id) => read(() => findScheduled(db, project, environment, id)),
      nextAt: () => read(() => nextScheduled(db)),
      findDue: (now) => read(() => findDue(db, now)),
    },
    setup: {
      read: (projects, forms) => read(() => readSetup(db, projects, forms)),
    },
    forms: {
      list: () => read(() => formRecords(db)),
      page: (asked) => read(() => pageForms(db, asked)),
      find: (slugOrKey) => read(() => findForm(db, slugOrKey)),
      findByKey: (key) => read(() => findFormByKey(db, key)),
    },
    submissions: {
      insert({ id, formKey, data, createdAt, files }, isAbandoned) {
        const args: WriteArgs<"insertSubmission"> = [id, formKey, data, createdAt, files];
        const write = { name: "insertSubmission", args } as const;
        return writer.write(write, data.length * 2, isAbandoned) as Promise<void>;
      },
      list: (form, limit, before) => read(() => listSubmissions(db, form, limit, before)),
      find: (id) => read(() => findSubmission(db, id)),
      count: (form) => read(() => countSubmissions(db, form)),
      delete: (id) => write("deleteSubmission", [id]),
      clearDeleted: (limit) => write("clearDeleted", [limit]),
      files: (after, limit) => read(() => listFiles(db, after, limit)),
      fileBytes: () => read(() => countFileBytes(db)),
      looseFiles: (limit) => read(() => listLoose(db, limit)),
      forgetLooseFiles: (keys) => write("forgetLoose", [keys]),
      unreferenced: (keys) => read(() => unreferencedFiles(db, keys)),
      newestId: () => read(() => newestSubmission(db)),
    },
    tokens: {
      list: () => read(() => listTokens(db)),
      page: (asked) => read(() => pageTokens(db, asked)),
      find: (hash) => read(() => findToken(db, hash)),
    },
    async apply(changes, version, by) {
      if (!(await write("apply", [changes, version, by], WEIGHT * changes.length)))
        throw new AppError("conflict", "something else was changed meanwhile: try again", {
          reason: "outdated",
        });
      seen = null;
      changedAt = performance.now();
      for (const changed of watchers) changed();
    },
    version: () =>
      read(() => {
        // Cheaper than the version itself, which submissions leave alone (https://www.sqlite.org/pragma.html#pragma_data_version).
        const { data_version: current } = dataVersion.get()!;
        if (current !== seen) version = currentVersion(db);
        seen = current;
        return version;
      }),
    watch: (changed) => void watchers.push(changed),
    check: () => read(() => checkDatabase(db)),
    opened: () => writer.opened,
    ping: () => answers(async () => currentVersion(db)),
    // A write that changes nothing: it waits for what is queued and for locks, and costs no fsync.
    ready: () => answers(() => write("probe", [])),
    stats: async () => ({ ...writer.stats(), bytes: databaseBytes(file) }),
    async close() {
      await writer.close();
      close(db);
      // A server beside this process looks for changes every few milliseconds: whoever waits for this process to
      // end may rely on it having looked.
      if (writing === "inline" && changedAt > 0) {
        const left = changedAt + VERSION_TTL_MS + 1 - performance.now();
        if (left > 0) await Bun.sleep(left);
      }
    },
  };
}

async function answers(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
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
