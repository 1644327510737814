import type { Database } from "bun:sqlite";
import { clock } from "../../base/clock.ts";
import { runAtOnce, runWork, runInTurns } from "./run.ts";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../../app.ts";
import type { Garbage } from "../../blobs/notes.ts";
import { addLazily, lazy } from "../../base/once.ts";
import { requireRoom } from "../../base/directory.ts";
import { isLargerThan } from "../../base/json.ts";
import { stringifyInTurns } from "../../base/json/json-turns.ts";
import { IN_INBOX } from "../../forms/intake/insertion.ts";
import { AppError } from "../../base/errors.ts";
import { SQLITE_STALENESS_MS, WRITER_HEALTHY_MS, WRITER_READY_MS } from "../limits.ts";
import type { WriteArgs, WriteName, WriteResult } from "./commit.ts";
import { connect } from "./connection.ts";
import { sqliteError } from "./errors.ts";
import type * as Search from "./search.ts";
import type * as Index from "./search-index.ts";
import { close } from "./statements.ts";
import { noticingMembers } from "../noticing-members.ts";
import { bindSlices, type Runner, WEIGHT } from "../sql/bind.ts";
import { sharedSlices } from "../sql/slices.ts";
import { garbage } from "../sql/submissions/files.ts";
import type * as Slice from "../sql/submissions/slice.ts";
import { currentVersion, readActivity, readVersions } from "../sql/version.ts";
import type { Writer } from "./writer-queue.ts";
import {
  type WriterLink,
  type WriterMemory,
  inlineWriter,
  linkedWriter,
  sharedWriter,
  threadWriter,
} from "./writer.ts";
import type { Work } from "../sql/work.ts";

/** Changes that are copied to the writer thread as they are, and the characters of them together. */
const MANY = 50;
const MUCH = 65_536;

const insertionOf = (result: unknown) => (result as WriteResult<"insertSubmission">) ?? IN_INBOX;

export type SqliteStore = Store & {
  /** The files that deleted submissions had. */
  garbage: Garbage;
  /** A way to the writer thread for another thread; only the thread that started it for several has one. */
  join: (() => WriterLink) | null;
};

/**
 * How a store commits: a server on a `thread` of its own, a command `inline`. Of several threads the first starts the writer
 * with their `memory`, and the others are linked to it.
 */
export type Writing = "thread" | "inline" | { memory: WriterMemory } | { link: WriterLink };

function openWriter(writing: Writing, file: string, db: Database): Writer & { join?: () => WriterLink } {
  if (writing === "thread") return threadWriter(file);
  if (writing === "inline") return inlineWriter(db);
  return "link" in writing ? linkedWriter(writing.link) : sharedWriter(file, writing.memory);
}

/** Opens the store in a SQLite file. Throws as `connect` does. */
export function openSqliteStore(file: string, writing: Writing): SqliteStore {
  const db = connect(file);
  const writer = openWriter(writing, file, db);
  const watchers: (() => void)[] = [];
  let changedAt = 0;

  const changed = () => {
    changedAt = clock.steady();
    for (const tell of watchers) tell();
  };
  let members: number | undefined;
  /** Tells of a change of members by this process, or by another one. */
  const noticeMembers = async () => {
    const { memberships = 0 } = runWork(db, readVersions());
    if (memberships === members) return;
    members = memberships;
    changed();
  };

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

  // Exports take longer than reads of flags, which do not wait for them. A command has nothing else to do.
  const readers = writing === "inline" ? [] : [createReader(file), createReader(file)];
  const readAtOnce: Runner["readAtOnce"] = (work) => read(() => runAtOnce(db, work));
  const runner: Runner = {
    read: (work) => read(() => runWork(db, work())),
    readInTurns: readers[0]?.read ?? readAtOnce,
    readAtOnce: readers[1]?.read ?? readAtOnce,
    write: (name, args, weight) => writer.write({ name, args }, weight),
  };

  const slices = sharedSlices(runner, () => submissionParts().shared);
  /** The work on submissions, which few commands need. */
  const submissionParts = lazy(() => {
    const { queueRemovals, indexBacklog } = require("./search-index.ts") as typeof Index;
    const { hitsIn } = require("./search.ts") as typeof Search;
    const { submissionSlice } = require("../sql/submissions/slice.ts") as typeof Slice;
    return { shared: submissionSlice(hitsIn(db), queueRemovals), indexBacklog };
  });
  const submissions = (): SqliteStore["submissions"] => ({
    ...noticingMembers(slices.submissions(), noticeMembers),
    // Not an async function, which makes six objects more for each submission.
    insert(submission, isAbandoned) {
      const { id, formKey, data, createdAt, files } = submission;
      const { conditions = null, deliveries = [], meta = null, flags = null, measured = [] } = submission;
      const args: WriteArgs<"insertSubmission"> = [
        id,
        formKey,
        data,
        createdAt,
        files,
        conditions,
        deliveries,
        meta,
        flags,
        measured.length === 0 ? null : measured,
      ];
      const write = { name: "insertSubmission", args } as const;
      return writer.write(write, data.length * 2, isAbandoned).then((result) => {
        const insertion = insertionOf(result);
        if (insertion.kind === "stored" && insertion.fills === true) changed();
        return insertion;
      });
    },
    updateIndex: () => write("updateIndex", []),
    indexBacklog: () => read(() => submissionParts().indexBacklog(db)),
    rewrite: () => write("rewriteFile", []),
  });
  const itself = {
    shared: null,
    servers: null,
    join: writer.join ?? null,
    async apply(changes, version, by) {
      const isApplied =
        changes.length <= MANY && !isLargerThan(MUCH, changes)
          ? await write("apply", [changes, version, by], WEIGHT * changes.length)
          : await write(
              "applyTexts",
              [await stringifyInTurns(changes), version, by],
              WEIGHT * changes.length,
            );
      if (!isApplied)
        throw new AppError("conflict", "another change was applied first: try again", {
          reason: "outdated",
        });
      changed();
    },
    // Not behind `PRAGMA data_version`, which takes as long, and twice with every submission that is stored.
    readVersion: () => read(() => runWork(db, readVersions())),
    staleness: SQLITE_STALENESS_MS,
    watch: (changed) => void watchers.push(changed),
    activity: () => runner.read(readActivity),
    opened: () => writer.opened,
    ping: () =>
      requireAnswer(async () => {
        requireAdvance(writer, WRITER_HEALTHY_MS);
        runWork(db, currentVersion());
      }),
    // A write without a change waits for queued writes and locks, but needs no fsync.
    ready: () =>
      requireAnswer(async () => {
        requireAdvance(writer, WRITER_READY_MS);
        await within(WRITER_READY_MS, write("probe", []));
        await requireRoom(dirname(file)).catch((error) => {
          throw sqliteError(error);
        });
      }),
    // Loaded with their first use, since most commands check and copy nothing: `npm run bench -- start`.
    async check() {
      const { checkDatabase } = await import("./check.ts");
      return read(() => checkDatabase(db));
    },
    async *dump(progress) {
      yield* (await import("./copies/dump.ts")).dumpDatabase(file, progress);
    },
    fill: async (dump) => (await import("./copies/fill.ts")).fillDatabase(file, dump),
    moving: async () => (await import("./copies/moving.ts")).movingStore(db, file),
    stats: async () => ({ ...writer.stats(), bytes: databaseBytes(file) }),
    async close() {
      await Promise.all([writer, ...readers].map((each) => each.close()));
      close(db);
      // A server notices changes of this process within `SQLITE_STALENESS_MS`, so that a script may rely on them once the
      // process has ended. The last connection to close removes the log: without it, no server is running.
      if (writing === "inline" && changedAt > 0 && existsSync(`${file}-wal`)) {
        const left = changedAt + SQLITE_STALENESS_MS + 1 - clock.steady();
        if (left > 0) await clock.sleep(left);
      }
    },
  } satisfies Partial<SqliteStore>;
  return addLazily(itself, { ...slices, ...bindSlices(runner, { garbage: () => garbage }), submissions });
}

/** Throws `unavailable` if the writer has had a batch for longer than so many milliseconds. */
function requireAdvance(writer: Writer, ms: number): void {
  if (writer.waitsFor() > ms) throw stalled(ms);
}

/** Throws `unavailable` if a write is not answered within so many milliseconds. */
async function within(ms: number, write: Promise<unknown>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = clock.after(ms, () => reject(stalled(ms)));
  try {
    await Promise.race([write, late]);
  } finally {
    timer.close();
  }
}

function stalled(ms: number): AppError {
  return new AppError("unavailable", `the database has stored nothing for ${ms / 1000} s, and writes wait`, {
    retryAfter: 1,
  });
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

/** Runs reads with many or large rows one after another, each as of one moment, in turns with other work. */
type Reader = {
  read: <T>(work: () => Work<T>) => Promise<T>;
  /** Waits for reads that have begun. */
  close: () => Promise<void>;
};

/** Creates a reader with its own connection: on a shared one, other reads would see the moment of a long read. */
function createReader(file: string): Reader {
  const db = connect(file);
  let last: Promise<unknown> = Promise.resolve();
  const readNext = async <T>(before: Promise<unknown>, work: () => Work<T>): Promise<T> => {
    await before;
    try {
      return await runInTurns(db, work);
    } catch (error) {
      throw sqliteError(error);
    }
  };
  return {
    read(work) {
      const reading = readNext(last, work);
      last = reading.catch(() => {});
      return reading;
    },
    async close() {
      await last;
      close(db);
    },
  };
}
