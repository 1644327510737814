import { clock } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import type { Batch, Dump, MovingStore, PortableValue } from "../../../maintenance/store.ts";
import { PORTABLE_TABLES, TABLE_NAMES, columnsOf } from "../../../maintenance/tables.ts";
import { SUBMISSION_STATES } from "../../../forms/submission-state.ts";
import { CHANGING } from "../../sql/submissions/submissions.ts";
import { deleteSubmissions } from "../../sql/submissions/removals.ts";
import { textOf } from "../../sql/ids.ts";
import { FOR_UPDATE, type Work, all, only, run } from "../../sql/work.ts";
import { clearTable, pageIds } from "../../portable.ts";
import { idArray } from "../arrays.ts";
import type { Connections, Query } from "../connection.ts";
import { finishRows, insertBatch, requireEmpty } from "./fill.ts";
import { transactLong } from "../long-transaction.ts";
import { runWork, type Units } from "../run.ts";

/** Rows of the search index refer to submissions and go with them. */
export function* forgetNothing(): Work<void> {}

/**
 * Moves of data into or out of a database whose processes trust a version that they read for `staleness` milliseconds.
 */
export function movingStore(connections: Connections, units: Units, staleness: number): MovingStore {
  // On a slow network a batch takes longer than what a request may.
  const change = <T>(body: (query: Query) => Promise<T>) => transactLong(connections, "change", body);
  const write = <T>(work: () => Work<T>) => change((query) => runWork(query, work()));
  return {
    async begin() {
      await write(beginMove);
      // A server that was running on it has read the version by then, and takes nothing more.
      await clock.sleep(staleness + 1);
    },
    giveUp: () => write(giveUpMove),
    replace: (stage, dump) => change((query) => replaceStage(query, stage, dump)),
    outdated: (submissions) => units.read(() => findOutdated(submissions)),
    receive: (batch) => write(() => insertBatch(batch)),
    ids: (after) => units.read(() => pageIds(after)),
    unknown: (ids) => units.read(() => findUnknown(ids)),
    async remove(ids) {
      await write(() => deleteSubmissions(forgetNothing, ids, SUBMISSION_STATES, null));
    },
    release: () => write(releaseTarget),
  };
}

/** Throws `unavailable` for the target of a move or a restore that is not finished. `place` names the database. */
export function* requireLive(place: string): Work<void> {
  const { live } = yield* only<{ live: number }>("SELECT live FROM formflag_meta WHERE id = 1");
  if (live === 0) throw targetError(place);
}

/** The error for the use of a target whose move or restore is not finished. */
export function targetError(place: string): AppError {
  return new AppError("unavailable", `${place} is the target of a move or a restore that is not finished`, {
    reason: "database-moving",
  });
}

function* beginMove(): Work<void> {
  const { live } = yield* only<{ live: number }>(`SELECT live FROM formflag_meta WHERE id = 1 ${FOR_UPDATE}`);
  if (live === 0) return;
  yield* requireEmpty();
  yield* run("UPDATE formflag_meta SET live = 0");
}

function* giveUpMove(): Work<void> {
  yield* requireEmpty();
  yield* run("UPDATE formflag_meta SET live = 1");
}

function* releaseTarget(): Work<void> {
  yield* finishRows();
  yield* run("UPDATE formflag_meta SET live = 1");
}

async function replaceStage(
  query: Query,
  stage: Parameters<MovingStore["replace"]>[0],
  dump: Dump,
): Promise<void> {
  const tables = TABLE_NAMES.filter((table) => PORTABLE_TABLES[table].stage === stage);
  for (const table of tables.toReversed()) await runWork(query, clearTable(table));
  for await (const batch of dump) await runWork(query, insertBatch(batch));
}

type State = { id: Uint8Array } & Record<(typeof CHANGING)[number], PortableValue>;

const AMONG = "id = ANY (CAST($ids AS BYTEA[]))";

function* findOutdated({ rows }: Batch): Work<Set<string>> {
  const at = (name: string) => columnsOf("submissions").findIndex(([column]) => column === name);
  const [id, state] = [at("id"), CHANGING.map((name) => [name, at(name)] as const)];
  const ids = rows.map((row) => row[id] as string);
  const sql = `SELECT id, ${CHANGING.join()} FROM submissions WHERE ${AMONG}`;
  const found = yield* all<State>(sql, { ids: idArray(ids) });
  const known = new Map(found.map((each) => [textOf(each.id), each]));
  const outdated = rows.filter((row) => {
    const each = known.get(row[id] as string);
    return !each || state.some(([name, column]) => each[name] !== row[column]);
  });
  return new Set(outdated.map((row) => row[id] as string));
}

function* findUnknown(ids: readonly string[]): Work<string[]> {
  const rows = yield* all<{ id: Uint8Array }>(`SELECT id FROM submissions WHERE ${AMONG}`, {
    ids: idArray(ids),
  });
  const known = new Set(rows.map(({ id }) => textOf(id)));
  return ids.filter((id) => !known.has(id));
}
