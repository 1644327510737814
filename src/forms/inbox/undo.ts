import type { Caller } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import { clock } from "../../base/clock.ts";
import { sha256 } from "../../base/sum.ts";
import { MAX_BULK_IDS } from "../limits.ts";
import type { Shared } from "../shared.ts";
import { type SubmissionMark, type SubmissionState, isFolder } from "../submission-state.ts";
import type { Standing } from "../submission.ts";
import { markPresent } from "./bulk.ts";
import { ME } from "./filters.ts";
import { type LabelChange, labelAmong } from "./handling.ts";
import { type HandlingApp, assignSubmissions, labelSubmissions } from "./submission-handling.ts";

/** How long an action can be undone, in milliseconds. */
const KEPT_MS = 600_000;

/** Characters that one process keeps for all that can be undone: about 100,000 ids. The oldest goes first. */
const MAX_KEPT = 4_000_000;

/** Takes something back from some of the submissions that an action changed. */
type Step = { ids: string[] } & (
  | { mark: SubmissionMark }
  | { assignee: string | null }
  | { labels: LabelChange }
);

/** The reverse of an action; of a mark or an assignment, for the submissions that still have what was `done`. */
type Undo = { done: { mark: SubmissionMark } | { assignee: string | null } | null; steps: Step[] };

/** Changes that an undo made. */
export type Undone = { changed: number; marks: { mark: SubmissionMark; changed: number }[] };

type Standings = Readonly<Record<string, Standing>>;

type Acted = { ids: readonly string[]; undoable?: boolean | undefined };

/**
 * Changes submissions with `act`, which returns the changed ids, and keeps `undoOf` of these if it is to be
 * `undoable`. `undo` is the name that {@link undoAction} takes; null if nothing was changed. Throws what `act` throws.
 */
export async function actUndoably(
  app: HandlingApp,
  caller: Caller,
  { ids, undoable = false }: Acted,
  act: () => Promise<string[]>,
  undoOf: (changed: string[], before: Standings) => Undo,
): Promise<{ changed: number; undo?: string | null }> {
  // Another user may have moved them since they were listed.
  const before = undoable ? await app.store.submissions.standing(ids) : {};
  const changed = await act();
  if (!undoable) return { changed: changed.length };
  return { changed: changed.length, undo: await keepUndo(app, caller, undoOf(changed, before)) };
}

/** The name of an undo that {@link undoAction} takes from the same user; null for one without submissions, or with too many. */
export async function keepUndo({ store, now }: HandlingApp, caller: Caller, undo: Undo) {
  const count = undo.steps.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count === 0 || count > MAX_BULK_IDS) return null;
  const name = clock.uuid();
  const kept = store.shared ?? keptFor(store, now);
  await kept.keep(hashOf(name, caller), JSON.stringify(undo), now() + KEPT_MS);
  return name;
}

/** The undo of a mark of submissions that were in `folderOf` before. */
export function undoOfMark(
  mark: SubmissionMark,
  changed: readonly string[],
  folderOf: (id: string) => SubmissionState,
): Undo {
  const inverseOf = (id: string): SubmissionMark => {
    if (!isFolder(mark)) return mark === "read" ? "unread" : "read";
    const folder = folderOf(id);
    // Out of the spam folder, a submission that waits for its sender does so again.
    return folder === "unconfirmed" ? "inbox" : folder;
  };
  return {
    done: { mark },
    steps: [...Map.groupBy(changed, inverseOf)].map(([before, ids]) => ({ mark: before, ids })),
  };
}

/** Gives submissions to a user, or to the caller as `me`. */
export function assignUndoably(
  app: HandlingApp,
  caller: Caller,
  { assignee: user, ...acted }: Acted & { assignee: string | null },
) {
  const assignee = user === ME ? caller.name : user;
  return actUndoably(
    app,
    caller,
    acted,
    () => assignSubmissions(app, caller, acted.ids, assignee),
    (changed, before) => {
      const groups = Map.groupBy(changed, (id) => before[id]?.assignee ?? null);
      return { done: { assignee }, steps: [...groups].map(([assignee, ids]) => ({ assignee, ids })) };
    },
  );
}

/** The undo of labels that were put on submissions, and taken from them. */
export function undoOfLabels(
  { add, remove }: LabelChange,
  changed: readonly string[],
  before: Standings,
): Undo {
  const inverseOf = (id: string) => {
    const labels = before[id]?.labels ?? [];
    const back: LabelChange = {
      add: labels.filter((label) => labelAmong(remove, label) !== undefined),
      remove: add.filter((label) => labelAmong(labels, label) === undefined),
    };
    return JSON.stringify(back);
  };
  const groups = Map.groupBy(changed, inverseOf);
  return {
    done: null,
    steps: [...groups].map(([text, ids]) => ({ labels: JSON.parse(text) as LabelChange, ids })),
  };
}

/**
 * Takes an action of the caller back, once, from submissions that still have what it did. Throws `gone` if it is no longer
 * kept, `unavailable`, and as the action itself.
 */
export async function undoAction(app: HandlingApp, caller: Caller, name: string): Promise<Undone> {
  const { store, now } = app;
  const text = await (store.shared ?? keptFor(store, now)).take(hashOf(name, caller), now());
  if (text === undefined) throw new AppError("gone", "this can no longer be undone");
  const { done, steps } = JSON.parse(text) as Undo;
  const isDone = (standing: Standing) => done === null || has(standing, done);
  const undone: Undone = { changed: 0, marks: [] };
  for (const step of steps) {
    const changed = (await takeStep(app, caller, step, isDone)).length;
    undone.changed += changed;
    if ("mark" in step && changed > 0) undone.marks.push({ mark: step.mark, changed });
  }
  return undone;
}

async function takeStep(
  app: HandlingApp,
  caller: Caller,
  step: Step,
  isDone: (standing: Standing) => boolean,
): Promise<string[]> {
  if ("mark" in step) return markPresent(app, caller, step.ids, step.mark, isDone);
  const found = Object.entries(await app.store.submissions.standing(step.ids));
  const ids = found.filter(([, standing]) => isDone(standing)).map(([id]) => id);
  if ("labels" in step) return labelSubmissions(app, caller, ids, step.labels);
  return assignSubmissions(app, caller, ids, step.assignee);
}

function has({ state, read, assignee }: Standing, done: NonNullable<Undo["done"]>): boolean {
  if ("assignee" in done) return assignee === done.assignee;
  return isFolder(done.mark) ? state === done.mark : read === (done.mark === "read");
}

function hashOf(name: string, { name: user, type, grants }: Caller): string {
  // Tokens of several projects may have one name.
  const project = type === "token" ? grants[0]?.project : undefined;
  return sha256(JSON.stringify(["undo", name, type, user, project]));
}

type Kept = Pick<Shared, "keep" | "take">;

const keptInMemory = new WeakMap<object, Kept>();

/** The memory of a process for the database that it alone serves; lost when it ends. */
function keptFor(store: object, now: () => number): Kept {
  let kept = keptInMemory.get(store);
  if (!kept) {
    kept = keepInMemory(now);
    keptInMemory.set(store, kept);
  }
  return kept;
}

/** Keeps texts of `MAX_KEPT` characters in all. */
function keepInMemory(now: () => number): Kept {
  const kept = new Map<string, { text: string; expiresAt: number }>();
  let size = 0;
  const remove = (hash: string) => {
    const found = kept.get(hash);
    if (found) size -= found.text.length;
    kept.delete(hash);
    return found;
  };
  return {
    async keep(hash, text, expiresAt) {
      kept.set(hash, { text, expiresAt });
      size += text.length;
      for (const [oldest, { expiresAt }] of kept)
        if (expiresAt <= now() || (size > MAX_KEPT && kept.size > 1)) remove(oldest);
        else break;
    },
    async take(hash, at) {
      const found = remove(hash);
      return found && found.expiresAt > at ? found.text : undefined;
    },
  };
}
