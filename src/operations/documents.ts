import { sendsMailItself } from "../delivery/delivery-status.ts";
import { applyDocument, compareDocument } from "../documents/apply.ts";
import { type Document, documentOf } from "../documents/document.ts";
import { hasSource } from "../documents/sources.ts";
import { seesFormsOf } from "../forms/lookup.ts";
import { DEFAULT_PROJECT, noSuchProject } from "../access/place.ts";
import { requireScope, visibleProjects } from "../access/rights.ts";
import { MAX_IMPORT_BODY } from "./limits.ts";
import { noun } from "./operation.ts";
import { mailWarnings } from "./results.ts";

export const documents = noun("documents", () => import("./schema/documents-schema.ts"), {
  export: {
    method: "GET",
    path: "/export",
    tool: "export",
    summary: "Export projects, flags and forms that the caller sees as a document",
    scope: "read",
    place: "seen",
    levels: 4,
    defaults: {},
    run: async ({ app, caller, query: { project: projects, forms } }) => {
      for (const project of projects ?? []) requireScope(caller, "read", { project });
      const slugs = projects ?? visibleProjects(caller, "read");
      const withForms = forms === undefined ? projects === undefined : forms === "true";
      const setup = await app.store.setup.read(slugs && [...new Set(slugs)], withForms);
      for (const slug of projects ?? [])
        if (!setup.projects.some((project) => project.slug === slug)) throw noSuchProject(slug);
      const seen = setup.forms.filter((form) => seesFormsOf(caller, form.project));
      const { forms: ofDefault, ...document } = await documentOf({ ...setup, forms: seen }, withForms);
      return seesFormsOf(caller, DEFAULT_PROJECT) ? { ...document, forms: ofDefault } : document;
    },
  },
  apply: {
    method: "POST",
    path: "/apply",
    tool: "apply",
    summary: "Apply a document, with the scope `admin`; or list what would change, with `dryRun`",
    scope: "read",
    place: "seen",
    proposes: true,
    explains: true,
    maxBody: MAX_IMPORT_BODY,
    whole: "document",
    levels: 2,
    run: async ({ app, deployment, caller, body }) => {
      const { document, dryRun = false, prune = false, confirmed = false } = body;
      const { changes, warnings } = dryRun
        ? await compareDocument(app, caller, document, prune)
        : await applyDocument(app, caller, document, { prune, confirmed });
      const forms = formsIn(document);
      const isMailed = forms.some(sendsMailItself) || welcomes(document);
      const asks = forms.some(({ optIn }) => optIn != null);
      const { warnings: ofMail = [] } = await mailWarnings(deployment, isMailed, asks);
      return { changes, warnings: [...warnings, ...ofMail] };
    },
  },
});

function formsIn({ projects = {}, forms }: Document) {
  const all = [forms, ...Object.values(projects).map((project) => project.forms)];
  return all.flatMap((each) => Object.values(each ?? {}));
}

/** Whether a document has a segment whose members are welcomed. */
function welcomes({ projects = {} }: Document): boolean {
  const environments = Object.values(projects).flatMap((project) =>
    Object.values(project.environments ?? {}),
  );
  return environments
    .flatMap(({ segments = {} }) => Object.values(segments))
    .some((each) => hasSource(each) && each.source["welcome"] !== undefined);
}
