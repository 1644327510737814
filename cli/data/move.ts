import { clock } from "../../src/base/clock.ts";
import { AppError } from "../../src/base/errors.ts";
import { sweep } from "../../src/forms/keeping/removal.ts";
import { type MoveProgress, type Moved as Moving, moveData } from "../../src/maintenance/move.ts";
import { describeDatabase } from "../../src/store/postgres/database-url.ts";
import { type Moved, describeMoved, readMoved, removeMoved, writeMoved } from "./moved.ts";
import { lockBackup, lockData, openApp } from "./open.ts";
import type { OpenApp } from "./parts.ts";
import { requireBucket } from "./require-bucket.ts";
import type { SharedStorage } from "../../src/storage.ts";

/** Destination of a move. */
type Place = Pick<Moved, "database" | "blobs">;

/** A move to run; `replaces` also overwrites a copy of other data at the destination. */
type Move = { data: string; shared: SharedStorage; replaces: boolean; note: (text: string) => void };

/** Result of a run; `moved` is null if an earlier run completed the move. */
type Run = Place & { moved: Moving | null };

/**
 * Copies a data directory, which a server may use, into a shared database. Throws as `moveData` does, and `conflict` for data
 * whose move has ended or is about to.
 */
export async function copyData({ data, shared, replaces, note }: Move, progress: MoveProgress): Promise<Run> {
  const place = placeOf(shared);
  const unlock = lockBackup(data);
  try {
    const before = readMoved(data);
    if (before !== null) throw movedAlready(data, before);
    await using target = await openTarget(data, shared);
    await using source = await openApp({ data, writing: "inline", note });
    return { ...place, moved: await moveData(source, target, { replaces, isFinal: false }, progress) };
  } finally {
    unlock();
  }
}

/**
 * Copies the rest of a data directory that no server uses, compares both, and lets servers use the database. Throws as
 * `moveData` does, `unavailable` if a server runs, and `conflict` for data that is moved to another place.
 */
export async function finishMove(move: Move, progress: MoveProgress): Promise<Run> {
  const { data, shared } = move;
  const place = placeOf(shared);
  const unlocks = [lockStopped(data)];
  try {
    unlocks.push(lockBackup(data));
    const before = readMoved(data);
    if (before && !isSamePlace(before, place)) throw movedAlready(data, before);
    if (before?.finished) return { ...place, moved: null };
    await using target = await openTarget(data, shared);
    const isReleased = before !== null && (await hasData(target));
    const moved = isReleased ? null : await moveUnderNote(move, place, target, progress);
    writeMoved(data, { ...place, finished: true, at: new Date(clock.now()).toISOString() });
    return { ...place, moved };
  } finally {
    for (const unlock of unlocks) unlock();
  }
}

/** No command changes the data during a move: a note that it is being moved refuses them, until the move fails or has ended. */
async function moveUnderNote(
  { data, shared: { files }, replaces, note }: Move,
  place: Place,
  target: OpenApp,
  progress: MoveProgress,
): Promise<Moving> {
  writeMoved(data, { ...place, finished: false, at: new Date(clock.now()).toISOString() });
  const giveUp = () => removeMoved(data);
  process.once("exit", giveUp);
  let mayBeReleased = false;
  try {
    await using source = await openApp({ data, writing: "thread", isMoved: true, note });
    // Files left by a crash are found by notes, which do not move.
    if (files.kind === "directory") await sweep(source);
    const beforeRelease = async () => {
      mayBeReleased = true;
      process.off("exit", giveUp);
    };
    return await moveData(source, target, { replaces, isFinal: true, beforeRelease }, progress);
  } catch (error) {
    if (!mayBeReleased) giveUp();
    throw error;
  } finally {
    process.off("exit", giveUp);
  }
}

async function openTarget(data: string, shared: SharedStorage): Promise<OpenApp> {
  const target = await openApp({ data, shared, writing: "inline", opensTarget: true });
  try {
    if (shared.files.kind === "bucket") await requireBucket(shared.files.location, target.blobs);
    return target;
  } catch (error) {
    await target[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether servers may use a target already: it is not the target of a move any more, and holds data. */
async function hasData({ store }: OpenApp): Promise<boolean> {
  try {
    await (await store.moving()).begin();
    return false;
  } catch (error) {
    if (error instanceof AppError && error.reason === "database-not-empty") return true;
    throw error;
  }
}

function lockStopped(data: string): () => void {
  try {
    return lockData(data);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unavailable")) throw error;
    throw new AppError("unavailable", `a server is running on ${data}`, {
      hint: "stop it for the final step; without --final the data is copied beside it",
    });
  }
}

function movedAlready(data: string, before: Moved): AppError {
  const { message, hint } = describeMoved(data, before);
  return new AppError("conflict", message, { reason: "data-moved", hint });
}

function placeOf({ database, files }: SharedStorage): Place {
  return { database: describeDatabase(database), blobs: files.kind === "bucket" ? files.url : null };
}

/** Parameters of a bucket's URL may be written in several ways. */
function isSamePlace(one: Place, other: Place): boolean {
  const bucketOf = ({ blobs }: Place) => blobs?.replace(/\/?(\?.*)?$/, "");
  return one.database === other.database && bucketOf(one) === bucketOf(other);
}
