import { counted } from "../parts/text.tsx";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { deleteMatching, markMatching, markPresent } from "../../../forms/inbox/bulk.ts";
import { assignSubmissions, labelSubmissions } from "../../../forms/inbox/submission-handling.ts";
import type { Standing } from "../../../forms/submission.ts";
import { MAX_BULK_IDS, MAX_MARKED } from "../../../forms/limits.ts";
import { deleteSubmissions } from "../../../forms/keeping/submission-deletion.ts";
import {
  SUBMISSION_MARKS,
  type SubmissionMark,
  type SubmissionState,
  isFolder,
} from "../../../forms/submission-state.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import type { Done } from "../routes.ts";
import { addressIn, queryIn } from "./query.ts";
import type { Undo, Undos } from "./undo.ts";

/** Marks the submissions that a form names, and offers to undo it. Throws `invalid` for a mark that does not exist. */
export async function markSelected(app: App, undos: Undos, caller: Caller, fields: Fields): Promise<Done> {
  const [ids, mark, back] = [idsIn(fields), markIn(fields), backIn(fields)];
  // Another user may have moved them since the page was shown.
  const standing = await app.store.submissions.standing(ids);
  const changed = await markPresent(app, caller, ids, mark);
  const { folder } = queryIn(fields);
  const before = Object.groupBy(changed, (id) => inverseOf(mark, standing[id]?.state ?? folder));
  const next = isFolder(mark) ? nextIn(fields) : null;
  return marked(undos, caller, { next, changed: changed.length, before, mark, back });
}

/** The same for everything that a filter selects. */
export async function markAllMatching(
  app: App,
  undos: Undos,
  caller: Caller,
  fields: Fields,
  selection: Parameters<typeof markMatching>[2],
): Promise<Done> {
  const mark = markIn(fields);
  const { total, ids } = await markMatching(app, caller, selection, mark);
  const before = { [inverseOf(mark, queryIn(fields).folder)]: ids };
  return marked(undos, caller, { next: null, changed: total, before, mark, back: backIn(fields) });
}

type Marked = Pick<Extract<Undo, { before: unknown }>, "before" | "back"> & {
  changed: number;
  mark: SubmissionMark;
  /** The page to go on to; null to go back. */
  next: string | null;
};

async function marked(
  undos: Undos,
  caller: Caller,
  { changed, before, mark, back, next }: Marked,
): Promise<Done> {
  if (changed === 0) return { to: back, text: "Nothing to change." };
  const isUndoable = changed <= MAX_BULK_IDS;
  const undo = isUndoable && (await undos.keep({ user: caller.name, done: mark, before, back }));
  return {
    to: next ?? back,
    text: `${counted(changed)} ${RESULTS[mark]}.`,
    ...(undo && { undo: { to: "/inbox/undo", values: { undo } } }),
  };
}

const RESULTS: Record<SubmissionMark, string> = {
  inbox: "moved to the inbox",
  spam: "moved to spam",
  archived: "archived",
  read: "marked as read",
  unread: "marked as unread",
};

/** The mark that undoes one for submissions that were in a folder. */
function inverseOf(mark: SubmissionMark, from: SubmissionState): SubmissionMark {
  return isFolder(mark) ? from : mark === "read" ? "unread" : "read";
}

/** Takes a mark back from submissions that still have it. Throws `gone` if it cannot be undone any more. */
export async function undoMark(app: App, undos: Undos, caller: Caller, fields: Fields): Promise<Done> {
  const undo = await undos.take(textOf(fields, "undo"), caller.name);
  if ("handling" in undo) return undoHandling(app, caller, undo);
  const texts: string[] = [];
  for (const [mark, ids] of Object.entries(undo.before) as [SubmissionMark, string[]][]) {
    const changed = await markPresent(app, caller, ids, mark, (standing) => hasMark(standing, undo.done));
    if (changed.length > 0) texts.push(`${counted(changed.length)} ${RESULTS[mark]}`);
  }
  return { to: undo.back, text: texts.length > 0 ? `Undone: ${texts.join(", ")}.` : "Nothing to undo." };
}

/** Takes labels back, or an assignment that still stands. */
async function undoHandling(
  app: App,
  caller: Caller,
  { ids, back, handling }: Extract<Undo, { handling: unknown }>,
): Promise<Done> {
  const present = Object.entries(await app.store.submissions.standing(ids))
    .filter(([, { assignee }]) => !("done" in handling) || assignee === handling.done.assignee)
    .map(([id]) => id);
  const changed =
    "labels" in handling
      ? await labelSubmissions(app, caller, present, handling.labels)
      : await assignSubmissions(app, caller, present, handling.assignee);
  return { to: back, text: changed.length > 0 ? "Undone." : "Nothing to undo." };
}

function hasMark({ state, read }: Standing, mark: SubmissionMark): boolean {
  return isFolder(mark) ? state === mark : read === (mark === "read");
}

/** Deletes the submissions that a form names. */
export async function deleteSelected(app: App, caller: Caller, fields: Fields): Promise<Done> {
  const deleted = await deleteSubmissions(app, caller, idsIn(fields));
  return { to: addressIn(queryIn(fields)), text: `${counted(deleted.length)} deleted.` };
}

/** Deletes everything that a filter selects. */
export async function deleteAllMatching(
  app: App,
  caller: Caller,
  fields: Fields,
  selection: Parameters<typeof deleteMatching>[2],
): Promise<Done> {
  const { total } = await deleteMatching(app, caller, selection);
  return { to: addressIn(queryIn(fields)), text: `${counted(total)} deleted.` };
}

/** The ids that a form names; none if it names none. Throws `invalid` for more than the admin API takes. */
export function idsIn(fields: Fields): string[] {
  const ids = [...new Set(textsOf(fields, "submission"))];
  if (ids.length > MAX_MARKED)
    throw new AppError("invalid", `a form names at most ${MAX_MARKED} submissions`);
  return ids;
}

/** The page that a form was on: its list, or the page of a submission that it names. */
export function backIn(fields: Fields): string {
  const page = textOf(fields, "page");
  return INBOX_PAGE.test(page) ? page : addressIn(queryIn(fields));
}

const INBOX_PAGE = /^\/inbox\/[!-~]+$/;

/** The page of the submission after the one that a form was about; null if the form names none. */
function nextIn(fields: Fields): string | null {
  const next = textOf(fields, "next");
  return INBOX_PAGE.test(next) ? next : null;
}

function markIn(fields: Fields): SubmissionMark {
  const mark = SUBMISSION_MARKS.find((each) => each === textOf(fields, "mark"));
  if (!mark) throw new AppError("invalid", `a mark is one of ${SUBMISSION_MARKS.join(", ")}`);
  return mark;
}
