import { EXPORT_TYPES } from "../forms/transfer/export-format.ts";
import { MAX_IMPORT_BODY } from "./limits.ts";
import { nameIn } from "../forms/form-name.ts";
import { formIn } from "./form-query.ts";
import { noun } from "./operation.ts";

export const submissions = noun("submissions", () => import("./schema/submissions-schema.ts"), {
  export: {
    method: "GET",
    path: "/forms/:form/submissions/export",
    summary: "Export the submissions of a form, newest first",
    scope: "forms:read",
    place: "form",
    media: ["application/jsonl", "text/csv", EXPORT_TYPES.xlsx, "application/zip"],
    defaults: { format: "jsonl" },
    run: async ({ app, caller, names, query: { project, format, bom, delimiter, ...filters } }) => {
      const [{ getForm }, { searchOf }, { isSelective, readFilter }, { beginExport }] = await Promise.all([
        import("../forms/forms.ts"),
        import("../forms/inbox/submission-filter.ts"),
        import("../forms/inbox/filters.ts"),
        import("../forms/transfer/export.ts"),
      ]);
      const form = await getForm(app, caller, nameIn(project, names.form));
      const filter = readFilter(filters, caller.name);
      // Refuses a search without a word before the answer begins.
      searchOf(filter);
      const rows = isSelective(filter) ? null : await app.store.submissions.count(form.key, filter.states);
      return {
        name: `${form.slug}.${format}`,
        type: EXPORT_TYPES[format],
        size: null,
        rows,
        content: await beginExport(app, caller, form, format, filter, { bom: bom === "true", delimiter }),
      };
    },
  },
  import: {
    method: "POST",
    path: "/forms/:form/submissions/import",
    summary: "Import submissions, without files and deliveries",
    scope: "forms:write",
    place: "form",
    maxBody: MAX_IMPORT_BODY,
    defaults: {},
    run: async ({ app, caller, names, query, body }) => {
      const { importSubmissions } = await import("../forms/transfer/import.ts");
      return importSubmissions(app, caller, formIn(names, query), body);
    },
  },
  get: {
    method: "GET",
    path: "/submissions/:id",
    tool: "submissions_get",
    summary: "Get a submission",
    scope: "forms:read",
    place: "form",
    run: async ({ app, caller, names }) => {
      const { getSubmission } = await import("../forms/submissions.ts");
      return getSubmission(app, caller, names.id);
    },
  },
  timeline: {
    method: "GET",
    path: "/submissions/:id/timeline",
    summary: "List what happened to a submission, oldest first",
    scope: "forms:read",
    place: "form",
    run: async ({ app, caller, names }) => {
      const { timelineOf } = await import("../forms/inbox/timeline.ts");
      return { events: await timelineOf(app, caller, names.id) };
    },
  },
  note: {
    method: "POST",
    path: "/submissions/:id/notes",
    summary: "Add a note for your team to a submission",
    scope: "forms:write",
    place: "form",
    run: async ({ app, caller, names, body }) => {
      const { noteSubmission } = await import("../forms/inbox/submission-handling.ts");
      await noteSubmission(app, caller, names.id, body.text);
    },
  },
  block: {
    method: "POST",
    path: "/submissions/:id/block",
    summary: "Block the sender of a submission, or a word, in its form",
    scope: "forms:write",
    place: "form",
    run: async ({ app, caller, names, body }) => {
      const { blockFrom } = await import("../forms/inbox/block.ts");
      return blockFrom(app, caller, names.id, body.word);
    },
  },
  reply: {
    method: "POST",
    path: "/submissions/:id/replies",
    summary: "Reply to the sender of a submission by mail",
    scope: "forms:write",
    place: "form",
    status: 201,
    run: async ({ app, deployment, caller, names, body }) => {
      const { replyToSubmission } = await import("../forms/inbox/reply.ts");
      return replyToSubmission(app, caller, (await deployment.sendsMail()) === true, names.id, body);
    },
  },
  file: {
    method: "GET",
    path: "/submissions/:id/files/:file",
    summary: "Download a file by its number, from 1, or its name",
    scope: "forms:read",
    place: "form",
    media: ["application/octet-stream"],
    run: async ({ app, caller, names }) => {
      const { getSubmission, openFile } = await import("../forms/submissions.ts");
      const { file, bytes } = await openFile(app, await getSubmission(app, caller, names.id), names.file);
      const { name, size } = file;
      return { name, type: "application/octet-stream", size, rows: null, content: bytes };
    },
  },
  delete: {
    method: "DELETE",
    path: "/submissions/:id",
    summary: "Delete a submission and its files",
    scope: "forms:write",
    place: "form",
    run: async ({ app, caller, names }) => {
      const { deleteSubmission } = await import("../forms/keeping/submission-deletion.ts");
      return deleteSubmission(app, caller, names.id);
    },
  },
});
