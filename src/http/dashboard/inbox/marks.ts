import type { Caller } from "../../../access/caller.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_MARKED } from "../../../forms/limits.ts";
import { seenSubmissions } from "../../../forms/lookup.ts";
import { titlesOf } from "../../../forms/inbox/titles.ts";
import { type SubmissionMark, isFolder } from "../../../forms/submission-state.ts";
import { inbox } from "../../../operations/inbox.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { counted } from "../parts/text.tsx";
import type { Dashboard, Done } from "../routes.ts";
import { deletePage } from "./delete-page.tsx";
import { addressIn, queryIn } from "./query.ts";

/** Marks and deletes the submissions that a form names, and takes marks, assignments and labels back. */
export function markRoutes({ app, post, act, perform }: Dashboard) {
  /** Asks for a deletion; the rows that the form names may be gone already. */
  const askDelete = async (caller: Caller, fields: Fields): Promise<Page> => {
    const seen = await seenSubmissions(app, caller, "forms:write", idsIn(fields));
    const found = await Promise.all(seen.map((id) => app.store.submissions.find(id)));
    const present = found.filter((each) => each !== undefined);
    return deletePage(present, await titlesOf(app, present), queryIn(fields), backIn(fields));
  };

  post("/inbox/marks", "forms:write", async (c, fields) => {
    const ids = idsIn(fields);
    if (ids.length === 0)
      return { to: backIn(fields), text: "Nothing was selected: tick some submissions first." };
    const mark = textOf(fields, "mark");
    if (mark === "delete") return askDelete(c.get("caller"), fields);
    const body = { ids, mark, skipMissing: true, undoable: true };
    const done = marked(mark, await perform(c, inbox.mark, { body }), backIn(fields));
    const next = textOf(fields, "next");
    return isFolder(mark as SubmissionMark) && done.undo && INBOX_PAGE.test(next)
      ? { ...done, to: next }
      : done;
  });
  post(
    "/inbox/undo",
    "forms:write",
    act({
      operation: inbox.undo,
      input: ({ fields }) => ({ body: { undo: textOf(fields, "undo") } }),
      done({ changed, marks }, { fields }) {
        const texts = marks.map((each) => resultOf(each.mark, each.changed)).join(", ");
        const text = changed === 0 ? "Nothing to undo." : `Undone${texts && `: ${texts}`}.`;
        return { to: backIn(fields), text };
      },
    }),
  );
  post(
    "/inbox/delete",
    "forms:write",
    act({
      operation: inbox.deleteSome,
      input: ({ fields }) => ({ body: { ids: idsIn(fields) } }),
      done: ({ ids }, { fields }) => ({
        to: addressIn(queryIn(fields)),
        text: `${counted(ids.length)} deleted.`,
      }),
    }),
  );
}

/** An action on submissions that can be taken back. */
type Undoable = { changed: number; undo?: string | null | undefined };

/** Characters of an address that fit into the cookie of a message. */
const MAX_BACK = 2000;

/** The message of an action on submissions, and its undo, which leads back too. */
export function undoable(text: string, { changed, undo }: Undoable, back: string): Done {
  if (changed === 0) return { to: back, text: "Nothing to change." };
  const page = back.length > MAX_BACK ? "/inbox" : back;
  return { to: back, text, ...(undo != null && { undo: { to: "/inbox/undo", values: { undo, page } } }) };
}

/** The same for a mark. */
export function marked(mark: string, done: Undoable, back: string): Done {
  return undoable(`${resultOf(mark as SubmissionMark, done.changed)}.`, done, back);
}

/** `2 submissions archived` */
function resultOf(mark: SubmissionMark, count: number): string {
  return `${counted(count)} ${RESULTS[mark]}`;
}

const RESULTS: Record<SubmissionMark, string> = {
  inbox: "moved to the inbox",
  spam: "moved to spam",
  archived: "archived",
  read: "marked as read",
  unread: "marked as unread",
};

/** The ids that a form names; none if it names none. Throws `invalid` for more than the admin API takes. */
function idsIn(fields: Fields): string[] {
  const ids = [...new Set(textsOf(fields, "submission"))];
  if (ids.length > MAX_MARKED)
    throw new AppError("invalid", `a form names at most ${MAX_MARKED} submissions`);
  return ids;
}

/** The page that a form was on: its list, or the page of the inbox that it names. */
export function backIn(fields: Fields): string {
  const page = textOf(fields, "page");
  return INBOX_PAGE.test(page) ? page : addressIn(queryIn(fields));
}

const INBOX_PAGE = /^\/inbox(?:[/?][!-~]+)?$/;
