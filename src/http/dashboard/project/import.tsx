import { flagd } from "../../../operations/flagd.ts";
import * as z from "zod/mini";
import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import { wordsFor } from "../../../base/shapes/validation-words.ts";
import { utf8Text } from "../../../base/bytes.ts";
import { applyDocument, compareDocument } from "../../../documents/apply.ts";
import { documentSchema } from "../../../documents/document-schema.ts";
import { type Document, documentOf, pathOf } from "../../../documents/document.ts";
import { exportFlags } from "../../../flags/flagd/definition.ts";
import { withoutForeign } from "../../../flags/flagd/source.ts";
import { importFlags } from "../../../flags/imports.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import { attachment } from "../../attachment.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { confirmed } from "../parts/confirm.tsx";
import { counted } from "../parts/text.tsx";
import { submit } from "../parts/submit.ts";
import { ENVIRONMENT, PROJECT, pathTo, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { importPage } from "./import-page.tsx";
import { Differences, documentPage, flagdPage, lockedDocumentPage } from "./review-page.tsx";

const JSON_TYPE = "application/json; charset=utf-8";

const IMPORT = `${PROJECT}/import` as const;

/** Files of flags and segments: documents of a project, flagd files of an environment. */
export function importRoutes({ app, get, post }: Dashboard) {
  get(`${PROJECT}/document.json`, "flags:read", async (c, parameters) => {
    const { slug } = await getProject(app, parameters.project);
    const document = await documentOf(await app.store.setup.read([slug], false), false);
    return download(c, `${slug}.json`, document);
  });
  get(`${ENVIRONMENT}/flagd.json`, "flags:read", async (c, { project, environment }) => {
    const selection = await app.store.flags.selectIn(project, environment);
    const { flags, segments } = withoutForeign(await selection.flags(), await selection.segments());
    const file = await exportFlags(flags, segments, selection.metadata);
    return download(c, `${project}-${environment}.flagd.json`, file);
  });
  get(IMPORT, "flags:write", async (c, parameters) => {
    const project = await getProject(app, parameters.project);
    return importPage(project, { environment: c.req.query("environment") ?? null });
  });
  post(`${IMPORT}/flagd`, "flags:write", async (c, fields, parameters) => {
    const project = await getProject(app, parameters.project);
    const environment = await getEnvironment(app, project.slug, textOf(fields, "environment"));
    const place = { project: project.slug, environment: environment.slug };
    return submit(
      async () => {
        const file = await fileIn(fields);
        const run = (dryRun: boolean) => importFlags(app, c.get("caller"), place, file, dryRun);
        if (textOf(fields, "act") !== "import")
          return flagdPage({ project, environment, document: file, imported: await run(true) });
        const done = await confirmed(
          fields,
          () => run(false),
          async () => ({
            title: `Confirm the import into ${environment.slug}, ${project.slug}`,
            label: `Import into ${environment.slug}`,
            environments: [environment],
            change: <Differences differences={(await run(true)).differences} />,
            back: { to: pathTo(IMPORT, { project: project.slug }), label: "Import" },
          }),
          {
            app,
            caller: c.get("caller"),
            operation: flagd.import,
            names: place,
            query: { dryRun: "false" },
            body: file,
          },
        );
        if ("content" in done) return done;
        const text = `Imported into ${environment.slug}: ${counted(done.differences.length, "change")}.`;
        return { to: projectPath(project.slug), text };
      },
      ({ file }) => importPage(project, { environment: environment.slug, flagdFault: file }),
      { invalid: "file" },
    );
  });
  post(`${IMPORT}/document`, "admin", async (c, fields, parameters) => {
    const project = await getProject(app, parameters.project);
    const [prune, caller] = [textOf(fields, "prune") === "on", c.get("caller")];
    return submit(
      async () => {
        const document = documentIn(await fileIn(fields), project.slug);
        const { changes: differences, warnings } = await compareDocument(app, caller, document, prune);
        const shown = { project, document, prune, differences, warnings };
        if (textOf(fields, "act") !== "import") return documentPage(shown);
        const isConfirmed = textOf(fields, "confirm").trim() === project.slug;
        // The page that asks for the name of the project also names the locks.
        const confirming = { ...caller, hasConfirmed: () => isConfirmed };
        try {
          await applyDocument(app, confirming, document, { prune, confirmed: isConfirmed });
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "unconfirmed") throw error;
          return lockedDocumentPage(shown, error.message, textOf(fields, "confirm"), textOf(fields, "why"));
        }
        const text = `Imported: ${counted(differences.length, "change")}.`;
        return { to: projectPath(project.slug), text };
      },
      ({ file }) => importPage(project, { environment: null, documentFault: file, prune }),
      { invalid: "file" },
    );
  });
}

function download(c: DashboardContext, name: string, value: object): Response {
  return c.body(`${JSON.stringify(value, null, 2)}\n`, 200, attachment(name, JSON_TYPE));
}

/** The JSON object in the file of a form, or in the text of the form behind its review. Throws `invalid`. */
async function fileIn(fields: Fields): Promise<Record<string, unknown>> {
  const given = fields.get("file");
  const text =
    typeof given === "string" ? given : utf8Text((await given?.bytes()) ?? new Uint8Array(), "the file");
  if (text.trim() === "") throw new AppError("invalid", "choose a file that is not empty");
  const parsed = parseJson(text);
  if (parsed.fault !== undefined) throw new AppError("invalid", parsed.fault);
  if (!isObject(parsed.value)) throw new AppError("invalid", "the file does not hold a JSON object");
  return parsed.value;
}

/** A document of one project and nothing else. Throws `invalid` with the path of what is wrong. */
function documentIn(value: Record<string, unknown>, project: string): Document {
  const checked = z.safeParse(documentSchema, value, { error: wordsFor });
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
