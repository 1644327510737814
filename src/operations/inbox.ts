import { AppError } from "../base/errors.ts";
import { DEFAULT_PAGE } from "../base/pages.ts";
import { countMatching, deleteMatching, markMatching, markPresent } from "../forms/inbox/bulk.ts";
import { listInbox } from "../forms/inbox/inbox.ts";
import type { FilteredPage } from "../forms/inbox/submission-list.ts";
import { markSubmissions } from "../forms/inbox/submission-marks.ts";
import { findPerson } from "../forms/keeping/person.ts";
import { purgeSubmissions } from "../forms/keeping/purge.ts";
import { deleteSubmissions } from "../forms/keeping/submission-deletion.ts";
import { nameIn } from "../forms/form-name.ts";
import { MAX_BULK_IDS } from "../forms/limits.ts";
import { selectionIn } from "./form-query.ts";
import { noun } from "./operation.ts";
import { labelSubmissions } from "../forms/inbox/submission-handling.ts";
import {
  actUndoably,
  assignUndoably,
  keepUndo,
  undoAction,
  undoOfLabels,
  undoOfMark,
} from "../forms/inbox/undo.ts";
import { isFolder } from "../forms/submission-state.ts";
import { isSelective, readFilter } from "../forms/inbox/filters.ts";
import type { Selection } from "../forms/inbox/bulk.ts";
import type { SelectionBody } from "./schema/submission-query-schema.ts";

/** Lists of submissions, and what changes many of them at once. */
export const inbox = noun("submissions", () => import("./schema/inbox-schema.ts"), {
  ofForm: {
    method: "GET",
    path: "/forms/:form/submissions",
    summary: "List the submissions of a form, newest first",
    scope: "forms:read",
    place: "form",
    defaults: { state: "inbox", limit: DEFAULT_PAGE },
    run: async ({ app, caller, names, query: { project, limit, before = null, ...filters } }) => {
      const page = {
        form: nameIn(project, names.form),
        limit,
        before,
        filter: readFilter(filters, caller.name),
      };
      return viewPage(await listInbox(app, caller, page));
    },
  },
  list: {
    method: "GET",
    path: "/submissions",
    tool: "submissions_list",
    summary: "List the submissions of all forms, or only submissions with an address, newest first",
    scope: "forms:read",
    place: "seen",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, caller, query }) => {
      const { form, project, email, limit, before = null, state = "inbox", ...others } = query;
      const selected = { ...selectionIn({ form, project }), limit, before };
      if (email !== undefined) return viewPage(await findPerson(app, caller, email, selected));
      const filter = readFilter({ state, ...others }, caller.name);
      return viewPage(await listInbox(app, caller, { ...selected, filter }));
    },
  },
  mark: {
    method: "POST",
    path: "/submissions/mark",
    summary: "Move submissions to a folder, or mark them as read or unread",
    scope: "forms:write",
    place: "seen",
    run: ({ app, caller, body: { mark, skipMissing, ...body } }) =>
      actUndoably(
        app,
        caller,
        body,
        () => (skipMissing ? markPresent : markSubmissions)(app, caller, body.ids, mark),
        (changed, before) => undoOfMark(mark, changed, (id) => before[id]!.state),
      ),
  },
  assign: {
    method: "POST",
    path: "/submissions/assign",
    summary: "Assign submissions to a user, or to no one",
    scope: "forms:write",
    place: "seen",
    run: ({ app, caller, body }) => assignUndoably(app, caller, body),
  },
  label: {
    method: "POST",
    path: "/submissions/label",
    summary: "Put labels on submissions, and take others from them",
    scope: "forms:write",
    place: "seen",
    run: ({ app, caller, body: { add = [], remove = [], ...body } }) =>
      actUndoably(
        app,
        caller,
        body,
        () => labelSubmissions(app, caller, body.ids, { add, remove }),
        (changed, before) => undoOfLabels({ add, remove }, changed, before),
      ),
  },
  markMatching: {
    method: "POST",
    path: "/submissions/mark-matching",
    summary: "Mark every submission that filters select",
    scope: "forms:write",
    place: "seen",
    run: async ({ app, caller, body: { mark, dryRun = false, undoable = false, ...body } }) => {
      const selected = selectionOf(body, caller.name);
      if (dryRun) return { dryRun, ...(await countMatching(app, caller, selected)) };
      const result = await markMatching(app, caller, selected, mark);
      if (!undoable) return { dryRun, ...result };
      const [folder, ...others] = selected.filter.states;
      const isKept = result.total <= MAX_BULK_IDS && (others.length === 0 || !isFolder(mark));
      const undo = isKept
        ? await keepUndo(
            app,
            caller,
            undoOfMark(mark, result.ids, () => folder!),
          )
        : null;
      return { dryRun, ...result, undo };
    },
  },
  undo: {
    method: "POST",
    path: "/submissions/undo",
    summary: "Take back what a request with `undoable` did to submissions",
    scope: "forms:write",
    place: "seen",
    run: ({ app, caller, body: { undo } }) => undoAction(app, caller, undo),
  },
  deleteSome: {
    method: "POST",
    path: "/submissions/delete",
    summary: "Delete submissions and their files",
    scope: "forms:write",
    place: "seen",
    run: async ({ app, caller, body }) => ({ ids: await deleteSubmissions(app, caller, body.ids) }),
  },
  deleteMatching: {
    method: "POST",
    path: "/submissions/delete-matching",
    summary: "Delete every submission that filters select, with its files",
    scope: "forms:write",
    place: "seen",
    run: async ({ app, caller, body: { dryRun = false, ...body } }) => {
      const selected = selectionOf({ ...body, state: body.state ?? "inbox" }, caller.name);
      const { form, project } = body;
      const selects =
        (form ?? project) !== undefined || body.state !== undefined || isSelective(selected.filter);
      // A filter whose value is missing where the body was made would otherwise delete every inbox.
      if (!dryRun && !selects)
        throw new AppError("invalid", "nothing selects what to delete", {
          hint: "name a form, a project, a state or another filter; the state `all` selects everything",
        });
      const work = dryRun ? countMatching : deleteMatching;
      return { dryRun, ...(await work(app, caller, selected)) };
    },
  },
  purge: {
    method: "POST",
    path: "/submissions/purge",
    summary: "Delete every submission that holds an address or a value",
    scope: "forms:write",
    place: "seen",
    run: ({ app, caller, body: { form, project, ...body } }) =>
      purgeSubmissions(app, caller, { ...body, project, form: form && nameIn(project, form) }),
  },
});

/** Leaves out the number of submissions being indexed if it is 0. */
function viewPage({ indexing, ...page }: FilteredPage) {
  return { ...page, ...(indexing > 0 && { indexing }) };
}

/** The selection that a body of a caller describes, whose name is `who`. */
function selectionOf(
  { form, project, upTo, dryRun: _dryRun, unread, ...filters }: SelectionBody,
  who: string,
): Selection {
  const flag = unread === true ? ("true" as const) : undefined;
  return {
    ...selectionIn({ form, project }),
    upTo: upTo ?? null,
    filter: readFilter({ ...filters, unread: flag }, who),
  };
}
