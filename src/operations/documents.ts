import { applyDocument, compareDocument } from "../documents/apply.ts";
import { documentOf } from "../documents/document.ts";
import { noSuchProject } from "../access/place.ts";
import { MAX_IMPORT_BODY } from "./limits.ts";
import { noun } from "./operation.ts";

export const documents = noun("documents", () => import("./schema/documents-schema.ts"), {
  export: {
    method: "GET",
    path: "/export",
    summary: "Export projects, flags and forms as a document",
    scope: "read",
    place: "seen",
    levels: 4,
    defaults: {},
    run: async ({ app, query: { project: projects = null, forms } }) => {
      const withForms = forms === undefined ? projects === null : forms === "true";
      const setup = await app.store.setup.read(projects && [...new Set(projects)], withForms);
      for (const slug of projects ?? [])
        if (!setup.projects.some((project) => project.slug === slug)) throw noSuchProject(slug);
      return documentOf(setup, withForms);
    },
  },
  apply: {
    method: "POST",
    path: "/apply",
    summary: "Apply a document, with the scope `admin`; or list what would change, with `dryRun`",
    scope: "read",
    place: "seen",
    explains: true,
    maxBody: MAX_IMPORT_BODY,
    whole: "document",
    levels: 2,
    run: async ({ app, caller, body: { document, dryRun = false, prune = false, confirmed = false } }) => ({
      changes: dryRun
        ? await compareDocument(app, caller, document, prune)
        : await applyDocument(app, caller, document, { prune, confirmed }),
    }),
  },
});
