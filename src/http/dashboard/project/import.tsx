import { Hono } from "hono/quick";
import * as z from "zod/mini";
import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import { applyDocument, compareDocument } from "../../../documents/apply.ts";
import { documentSchema } from "../../../documents/document-schema.ts";
import { type Document, documentOf, pathOf } from "../../../documents/document.ts";
import { exportFlags } from "../../../flags/flagd/definition.ts";
import { importFlags } from "../../../flags/imports.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import { attachment } from "../../attachment.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { confirmed } from "../parts/confirm.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import type { Dashboard } from "../routes.ts";
import { type ImportDraft, importPage } from "./import-page.tsx";
import { Differences, documentPage, flagdPage, lockedDocumentPage } from "./review-page.tsx";

const JSON_TYPE = "application/json; charset=utf-8";

/** Files of flags and segments: documents of a project, flagd files of an environment. */
export function importRoutes({ app, page, action }: Dashboard) {
  const again = async (c: DashboardContext, draft: ImportDraft) => ({
    ...importPage(await getProject(app, c.req.param("project")!), draft),
    status: 400 as const,
  });

  return new Hono<DashboardEnv>()
    .get(
      "/projects/:project/document.json",
      page("flags:read", async (c) => {
        const { slug } = await getProject(app, c.req.param("project")!);
        const document = await documentOf(await app.store.setup.read([slug], false), false);
        return download(c, `${slug}.json`, document);
      }),
    )
    .get(
      "/projects/:project/environments/:environment/flagd.json",
      page("flags:read", async (c) => {
        const [project, environment] = [c.req.param("project")!, c.req.param("environment")!];
        const selection = await app.store.flags.selectIn(project, environment);
        const segments = await selection.segments();
        const file = exportFlags(await selection.flags(), segments, selection.metadata);
        return download(c, `${project}-${environment}.flagd.json`, file);
      }),
    )
    .get(
      "/projects/:project/import",
      page("flags:write", async (c) => {
        const project = await getProject(app, c.req.param("project")!);
        return importPage(project, { environment: c.req.query("environment") ?? null });
      }),
    )
    .post(
      "/projects/:project/import/flagd",
      action("flags:write", async (c, fields) => {
        const project = await getProject(app, c.req.param("project")!);
        const environment = await getEnvironment(app, project.slug, textOf(fields, "environment"));
        const draft = { environment: environment.slug };
        const file = await fileIn(fields);
        if (file.fault !== undefined) return again(c, { ...draft, flagdFault: file.fault });
        const place = { project: project.slug, environment: environment.slug };
        const run = (dryRun: boolean) => importFlags(app, c.get("caller"), place, file.value, dryRun);
        try {
          if (textOf(fields, "act") !== "import")
            return flagdPage({ project, environment, document: file.value, imported: await run(true) });
          const done = await confirmed(
            fields,
            () => run(false),
            async () => ({
              title: `Confirm the import into ${environment.slug}, ${project.slug}`,
              label: `Import into ${environment.slug}`,
              environments: [environment],
              change: <Differences differences={(await run(true)).differences} />,
              back: { to: `${projectPath(project.slug)}/import`, label: "Import" },
            }),
          );
          if ("content" in done) return done;
          const count = done.differences.length.toLocaleString("en");
          return {
            to: projectPath(project.slug),
            text: `Imported into ${environment.slug}: ${count} ${done.differences.length === 1 ? "change" : "changes"}.`,
          };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "invalid") throw error;
          return again(c, { ...draft, flagdFault: error.message });
        }
      }),
    )
    .post(
      "/projects/:project/import/document",
      action("admin", async (c, fields) => {
        const project = await getProject(app, c.req.param("project")!);
        const [prune, caller] = [textOf(fields, "prune") === "on", c.get("caller")];
        const file = await fileIn(fields);
        const fail = (documentFault: string) => again(c, { environment: null, documentFault, prune });
        if (file.fault !== undefined) return fail(file.fault);
        try {
          const document = documentIn(file.value, project.slug);
          const differences = await compareDocument(app, caller, document, prune);
          const shown = { project, document, prune, differences };
          if (textOf(fields, "act") !== "import") return documentPage(shown);
          const isConfirmed = textOf(fields, "confirm").trim() === project.slug;
          try {
            // The page that asks for the name of the project also names the locks.
            const hasConfirmed = () => isConfirmed;
            await applyDocument(app, { ...caller, hasConfirmed }, document, {
              prune,
              confirmed: isConfirmed,
            });
          } catch (error) {
            if (!(error instanceof AppError) || error.code !== "unconfirmed") throw error;
            return lockedDocumentPage(shown, error.message, textOf(fields, "confirm"), textOf(fields, "why"));
          }
          const count = differences.length.toLocaleString("en");
          const text = `Imported: ${count} ${differences.length === 1 ? "change" : "changes"}.`;
          return { to: projectPath(project.slug), text };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "invalid") throw error;
          return fail(error.message);
        }
      }),
    );
}

function download(c: DashboardContext, name: string, value: object): Response {
  return c.body(`${JSON.stringify(value, null, 2)}\n`, 200, attachment(name, JSON_TYPE));
}

type ReadFile = { value: Record<string, unknown>; fault?: undefined } | { fault: string };

/** The JSON object in the file of a form, or in the text of the form behind its review. */
async function fileIn(fields: Fields): Promise<ReadFile> {
  const given = fields.get("file");
  const text = typeof given === "string" ? given : ((await given?.text()) ?? "");
  if (text.trim() === "") return { fault: "choose a file that is not empty" };
  const parsed = parseJson(text.replace(/^\uFEFF/, ""));
  if (parsed.fault !== undefined) return { fault: parsed.fault };
  return isObject(parsed.value) ? { value: parsed.value } : { fault: "the file does not hold a JSON object" };
}

/** A document of one project and nothing else. Throws `invalid` with the path of what is wrong. */
function documentIn(value: Record<string, unknown>, project: string): Document {
  const checked = z.safeParse(documentSchema, value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const path = pathOf(...(issue?.path ?? []).map(String));
    throw new AppError("invalid", path === "" ? issue!.message : `${path}: ${issue!.message}`);
  }
  const { projects = {}, forms } = checked.data;
  const others = Object.keys(projects).filter((slug) => slug !== project);
  if (others.length > 0)
    throw new AppError("invalid", `the document names another project: ${others.join(", ")}`);
  if (forms !== undefined)
    throw new AppError("invalid", "the document holds forms, which are not of a project");
  return checked.data;
}
