import {
  type Conditions,
  type Insertion,
  type StoredSubmission,
  UNKNOWN_OUTCOME,
} from "./intake/insertion.ts";
import type { Measured } from "./intake/measured.ts";
import type { FormsApp } from "./store.ts";
import type { Caller } from "../access/caller.ts";
import { notInMemory } from "../base/changes.ts";
import { AppError } from "../base/errors.ts";
import { deleteAll, mayStillAppear } from "../blobs/blobs.ts";
import { blobKey } from "../blobs/key.ts";
import type { Form } from "./form.ts";
import { seesFormsOf } from "./lookup.ts";
import type { NewDelivery } from "../delivery/delivery.ts";
import { type FileInfo, type Submission, noSuchSubmission } from "./submission.ts";
import type { Draft } from "./intake/sent.ts";

/** Milliseconds after which a submission that is not stored counts as cut off. */
const STORING_MS = 3_600_000;

type Storing = {
  /** Receives an error after the commit. Default: it is thrown. */
  report?: (error: unknown) => void;
  /** Whether the sender has disconnected. */
  isAbandoned?: () => boolean;
  conditions?: Conditions | undefined;
  deliveries?: NewDelivery[] | undefined;
  /** Conversions of its visitor. */
  measured?: readonly Measured[] | undefined;
  /** Adds to the conditions what is found once the files are kept, and before the row is stored. What it throws removes the files. */
  judge?: ((row: StoredSubmission) => Promise<Conditions>) | undefined;
};

/**
 * Stores a submission as its conditions allow, and returns its id and what became of it, once row and files survive a
 * power cut. Files are stored first, so that a row never refers to a missing file. Throws `unavailable`, or `invalid`
 * where the sender has disconnected (`isAbandoned`); nothing is stored then, unless the outcome is unknown. An error after
 * the commit goes to `report`: the submission is stored, and a sweep removes the note of its files.
 */
export function storeSubmission(
  app: FormsApp,
  form: Form,
  draft: Draft,
  storing: Storing = {},
): Promise<{ id: string; insertion: Insertion }> {
  // Fail at once: a submission would wait for the database's full timeout.
  if (app.watch.staleFor() > 0) return Promise.reject(notInMemory());
  const id = app.nextId();
  const row: StoredSubmission = {
    id,
    formKey: form.key,
    data: draft.data,
    createdAt: app.now(),
    meta: draft.meta ?? null,
    flags: draft.assignment ? JSON.stringify(draft.assignment.flags) : null,
    conditions: storing.conditions,
    deliveries: storing.deliveries,
    measured: storing.measured,
    fills: form.fills,
    files: [],
  };
  if (draft.files.length > 0) return storeWithFiles(app, draft, row, storing);
  const insert = (judged: StoredSubmission) =>
    app.store.submissions.insert(judged, storing.isAbandoned).then((insertion) => ({ id, insertion }));
  return storing.judge
    ? storing.judge(row).then((conditions) => insert({ ...row, conditions }))
    : insert(row);
}

async function storeWithFiles(
  app: FormsApp,
  draft: Draft,
  row: StoredSubmission,
  { report = rethrow, isAbandoned, judge }: Storing,
): Promise<{ id: string; insertion: Insertion }> {
  const { id } = row;
  const files = await Promise.all(
    draft.files.map(async ({ field, name, type, blob }, index) => ({
      field,
      name,
      type,
      key: blobKey(id, index + 1),
      ...(await blob.finish()),
    })),
  );
  const keys = files.map((file) => file.key);
  await app.notes.add(id, keys.length, row.createdAt + STORING_MS);
  const takeBack = async () => {
    // On a disk that fails, none may have been kept, and a deletion that cannot be synced would leave the note.
    const kept = await Promise.all(keys.map((key) => app.blobs.has(key)));
    await deleteAll(
      app.blobs,
      keys.filter((_, index) => kept[index]),
    );
    await app.notes.clear([id]);
  };
  let insertion: Insertion;
  try {
    await app.blobs.keep(files.map((file, index) => ({ key: file.key, staged: draft.files[index]!.blob })));
    const conditions = judge ? await judge({ ...row, files }) : row.conditions;
    insertion = await app.store.submissions.insert({ ...row, files, conditions }, isAbandoned);
  } catch (error) {
    // If cleanup fails, the note stays and the sweep removes the files: the caller needs the first error.
    if (!isUndecided(error)) await takeBack().catch(() => undefined);
    throw error;
  }
  if (insertion.kind !== "stored") await takeBack();
  else if (!app.notes.clearedByInsert) await app.notes.clear([id]).catch(report);
  return { id, insertion };
}

/** Whether the row or the files may still appear: the sweep decides, once the note is due. */
function isUndecided(error: unknown): boolean {
  return mayStillAppear(error) || (error instanceof AppError && error.reason === UNKNOWN_OUTCOME);
}

function rethrow(error: unknown): never {
  throw error;
}

/** The submission of that id, for any caller. Throws `not_found`. */
export async function readSubmission(app: FormsApp, id: string): Promise<Submission> {
  const submission = await app.store.submissions.find(id);
  if (!submission) throw noSuchSubmission(id);
  return submission;
}

/** The submission of that id, if the caller sees it. Throws `not_found`, `forbidden`. */
export async function getSubmission(app: FormsApp, caller: Caller, id: string): Promise<Submission> {
  const submission = await readSubmission(app, id);
  if (!seesFormsOf(caller, submission.project)) throw noSuchSubmission(id);
  return submission;
}

type OpenFile = { file: FileInfo; bytes: ReadableStream<Uint8Array<ArrayBuffer>> };

/** A file of a submission by its number, from 1, or by its name if that is unique. Throws `not_found`, `conflict`. */
export async function openFile(
  app: FormsApp,
  { id, files }: Submission,
  numberOrName: string,
): Promise<OpenFile> {
  const position = positionOf(files, numberOrName);
  return { file: files[position - 1]!, bytes: await app.blobs.open(blobKey(id, position)) };
}

/** A file of a submission and its number, by that number or its unique name. Throws `not_found`, `conflict`. */
export function findFile({ files }: Submission, numberOrName: string): { file: FileInfo; position: number } {
  const position = positionOf(files, numberOrName);
  return { file: files[position - 1]!, position };
}

/** The number of a file. A number takes precedence over a file whose name is that number. */
function positionOf(files: FileInfo[], numberOrName: string): number {
  const position = /^[1-9]\d{0,3}$/.test(numberOrName) ? Number(numberOrName) : 0;
  if (position >= 1 && position <= files.length) return position;
  const named = files.flatMap((file, index) => (file.name === numberOrName ? [index + 1] : []));
  if (named.length === 1) return named[0]!;
  if (named.length > 1) {
    throw new AppError("conflict", `${named.length} files of this submission have that name`, {
      hint: `select one by its number: ${named.join(", ")}`,
    });
  }
  throw new AppError("not_found", "this submission has no such file", {
    hint:
      files.length === 0
        ? "it has no files"
        : `select a file by its number, 1 to ${files.length}, or by its name`,
  });
}
