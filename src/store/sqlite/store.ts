import { statSync } from "node:fs";
import type { Store } from "../../app.ts";
import { LOOK_MS } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import { checkDatabase } from "./check.ts";
import type { WriteArgs, WriteName, WriteResult } from "./commit.ts";
import { connect } from "./connection.ts";
import { listEnvironments } from "./environments.ts";
import { sqliteError } from "./errors.ts";
import { findFlag, flagsOfEnvironment, listFlags, pageFlags, selectEnvironment } from "./flags.ts";
import { findForm, findFormByKey, listForms, pageForms } from "./forms.ts";
import { listChanges } from "./history.ts";
import type { Claim } from "./migrate.ts";
import { findProject, listProjects, pageProjects } from "./projects.ts";
import { promoteFlags } from "./promotion.ts";
import { listReads } from "./reads.ts";
import { environmentRow } from "./rows.ts";
import { listScheduled, nextScheduled } from "./scheduled.ts";
import { findSegment, listSegments, pageSegments, segmentsOfEnvironment } from "./segments.ts";
import { readSetup } from "./setup.ts";
import { close, query } from "./statements.ts";
import {
  countFileBytes,
  countSubmissions,
  findSubmission,
  listFiles,
  listSubmissions,
  newestSubmission,
  unreferencedFiles,
} from "./submissions.ts";
import { findToken, listTokens, pageTokens } from "./tokens.ts";
import { currentVersion } from "./version.ts";
import { inlineWriter, threadWriter } from "./writer.ts";

/** About how many bytes a write other than a submission holds. */
const WEIGHT = 1000;

/** The writes that leave the setup as it is. */
const OTHER_WRITES: ReadonlySet<WriteName> = new Set([
  "deleteSubmission",
  "insertToken",
  "deleteToken",
  "markRead",
  "probe",
  "tryImport",
] as const);

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
  const write = async <N extends WriteName>(name: N, args: WriteArgs<N>): Promise<WriteResult<N>> => {
    const result = await writer.write({ name, args }, WEIGHT);
    if (!OTHER_WRITES.has(name)) {
      seen = null;
      changedAt = performance.now();
      for (const changed of watchers) changed();
    }
    return result as WriteResult<N>;
  };

  return {
    projects: {
      insert: (project, who) => write("insertProject", [project, who]),
      list: () => read(() => listProjects(db)),
      page: (asked) => read(() => pageProjects(db, asked)),
      find: (slug) => read(() => findProject(db, slug)),
      delete: (slug) => write("deleteProject", [slug]),
    },
    environments: {
      insert: (project, environment, from, who) =>
        write("insertEnvironment", [project, environment, from, who]),
      list: (project) => read(() => listEnvironments(db, project)),
      lock: (project, slug, locked, by) => write("lockEnvironment", [project, slug, locked, by]),
      delete: (project, slug, by) => write("deleteEnvironment", [project, slug, by]),
    },
    flags: {
      set: (where, patch, by, expected = null) => write("setFlag", [where, patch, by, expected]),
      rollback: (where, to, by, expected = null) => write("rollbackFlag", [where, to, by, expected]),
      promote: (project, order, by) =>
        by ? write("promoteFlags", [project, order, by]) : read(() => promoteFlags(db, project, order, null)),
      list: (project, environment) => read(() => listFlags(db, project, environment)),
      page: (project, environment, asked) => read(() => pageFlags(db, project, environment, asked)),
      find: (where) => read(() => findFlag(db, where)),
      delete: (project, slug, by, expected = null) => write("deleteFlag", [project, slug, by, expected]),
      select: (projectKey, environmentKey) =>
        read(() => {
          const environment = selectEnvironment(db, projectKey, environmentKey);
          return environment && selectionOf(environment);
        }),
      markRead: (reads) => write("markRead", [reads]),
      reads: (project, environment) => read(() => listReads(db, project, environment)),
      selectIn: (project, environment) => read(() => selectionOf(environmentRow(db, project, environment))),
      import: (where, plan, by, dryRun) => write(dryRun ? "tryImport" : "importFlags", [where, plan, by]),
    },
    segments: {
      set: (where, rule, by, expected = null) => write("setSegment", [where, rule, by, expected]),
      list: (project, environment) => read(() => listSegments(db, project, environment)),
      page: (project, environment, asked) => read(() => pageSegments(db, project, environment, asked)),
      find: (where) => read(() => findSegment(db, where)),
      delete: (where, by, expected = null) => write("deleteSegment", [where, by, expected]),
    },
    changes: {
      list: (project, asked) => read(() => listChanges(db, project, asked)),
    },
    scheduled: {
      insert: (project, change) => write("insertScheduled", [project, change]),
      list: (project, environment, asked) => read(() => listScheduled(db, project, environment, asked)),
      delete: (project, environment, id) => write("deleteScheduled", [project, environment, id]),
      nextAt: () => read(() => nextScheduled(db)),
      applyDue: (now) => write("applyDue", [now]),
    },
    setup: {
      read: (projects, forms) => read(() => readSetup(db, projects, forms)),
      apply: (changes, version, by) => write("applySetup", [changes, version, by]),
    },
    forms: {
      insert: (form) => write("insertForm", [form]),
      update: (slugOrKey, patch, now) => write("updateForm", [slugOrKey, patch, now]),
      list: () => read(() => listForms(db)),
      page: (asked) => read(() => pageForms(db, asked)),
      find: (slugOrKey) => read(() => findForm(db, slugOrKey)),
      findByKey: (key) => read(() => findFormByKey(db, key)),
      delete: (slugOrKey) => write("deleteForm", [slugOrKey]),
    },
    submissions: {
      // Not through `write`, which looks after the setup: each promise counts here.
      insert({ id, formKey, data, createdAt, files }, isAbandoned) {
        const args: WriteArgs<"insertSubmission"> = [id, formKey, data, createdAt, files];
        const write = { name: "insertSubmission", args } as const;
        return writer.write(write, data.length * 2, isAbandoned) as Promise<void>;
      },
      list: (form, limit, before) => read(() => listSubmissions(db, form, limit, before)),
      find: (id) => read(() => findSubmission(db, id)),
      count: (form) => read(() => countSubmissions(db, form)),
      delete: (id) => write("deleteSubmission", [id]),
      files: (after, limit) => read(() => listFiles(db, after, limit)),
      fileBytes: () => read(() => countFileBytes(db)),
      unreferenced: (keys) => read(() => unreferencedFiles(db, keys)),
      newestId: () => read(() => newestSubmission(db)),
    },
    tokens: {
      insert: (token) => write("insertToken", [token]),
      list: () => read(() => listTokens(db)),
      page: (asked) => read(() => pageTokens(db, asked)),
      find: (hash) => read(() => findToken(db, hash)),
      delete: (name) => write("deleteToken", [name]),
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
        const left = changedAt + LOOK_MS + 1 - performance.now();
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
