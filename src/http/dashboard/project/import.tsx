import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import { utf8Text } from "../../../base/bytes.ts";
import { compareImport } from "../../../flags/imports.ts";
import { documents } from "../../../operations/documents.ts";
import { flagd } from "../../../operations/flagd.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import { attachment } from "../../attachment.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { counted } from "../parts/text.tsx";
import { type Faults, submit } from "../parts/submit.ts";
import { ENVIRONMENT, PROJECT, pathTo, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { Differences, documentPage, flagdPage, lockedDocumentPage } from "./review-page.tsx";
import type { Project } from "../../../projects/project.ts";
import { useMay } from "../view.ts";
import type { Page } from "../page.tsx";
import { CheckField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { ChangedEnvironmentField } from "../parts/list.tsx";
import { Card } from "../parts/card.tsx";
import { projectPage } from "./project-page.tsx";

const JSON_TYPE = "application/json; charset=utf-8";

const IMPORT = `${PROJECT}/import` as const;

/** Files of flags and segments: documents of a project, flagd files of an environment. */
export function importRoutes({ app, get, post, act, perform }: Dashboard) {
  get(`${PROJECT}/document.json`, "flags:read", async (c, { project }) =>
    download(c, `${project}.json`, await perform(c, documents.export, { query: { project } })),
  );
  get(`${ENVIRONMENT}/flagd.json`, "flags:read", async (c, names) => {
    const file = await perform(c, flagd.export, { names });
    return download(c, `${names.project}-${names.environment}.flagd.json`, file);
  });
  get(IMPORT, "flags:write", async (c, { project }) =>
    importPage(await getProject(app, project), { environment: c.req.query("environment") ?? null }),
  );

  type Sent = { c: DashboardContext; fields: Fields; names: { project: string } };
  const placeOf = ({ fields, names: { project } }: Sent) => ({
    project,
    environment: textOf(fields, "environment"),
  });
  const review = async (sent: Sent) => {
    const place = placeOf(sent);
    const environment = await getEnvironment(app, place.project, place.environment);
    const file = await fileIn(sent.fields);
    const imported = await compareImport(app, sent.c.get("caller"), place, file);
    return { ...place, environment, document: file, imported };
  };
  const flagdAgain = async (sent: Sent, { file }: Faults) => {
    const { project, environment } = placeOf(sent);
    return importPage(await getProject(app, project), { environment, flagdFault: file });
  };
  const importFlagd = act({
    operation: flagd.import,
    input: async (sent: Sent) => ({
      names: placeOf(sent),
      query: { dryRun: "false" },
      body: await fileIn(sent.fields),
    }),
    done({ flags, segments, metadata }, sent) {
      const { project, environment } = placeOf(sent);
      const altered = [...flags, ...segments, { result: metadata }].filter(
        ({ result }) => result !== "unchanged",
      );
      const text = `Imported into ${environment}: ${counted(altered.length, "change")}.`;
      return { to: projectPath(project), text };
    },
    async confirm(sent) {
      const { project, environment, imported } = await review(sent);
      return {
        title: `Confirm the import into ${environment.slug}, ${project}`,
        label: `Import into ${environment.slug}`,
        environments: [environment],
        change: <Differences differences={imported.differences} />,
        back: { to: pathTo(IMPORT, { project }), label: "Import" },
      };
    },
    again: flagdAgain,
    at: { invalid: "file" },
  });
  post(`${IMPORT}/flagd`, "flags:write", (c, fields, names) => {
    if (textOf(fields, "act") === "import") return importFlagd(c, fields, names);
    const sent = { c, fields, names };
    return submit(
      async () => flagdPage(await review(sent)),
      (faults) => flagdAgain(sent, faults),
      { invalid: "file" },
    );
  });
  post(`${IMPORT}/document`, "admin", async (c, fields, { project: slug }) => {
    const { slug: project } = await getProject(app, slug);
    const [prune, caller] = [textOf(fields, "prune") === "on", c.get("caller")];
    return submit(
      async () => {
        const document = documentIn(await fileIn(fields), project);
        const review = async () => {
          const compared = await perform(c, documents.apply, { body: { document, prune, dryRun: true } });
          return { project, document, prune, ...compared };
        };
        if (textOf(fields, "act") !== "import") return documentPage(await review());
        const confirmed = textOf(fields, "confirm").trim() === project;
        // The page that asks for the name of the project also names the locks.
        c.set("caller", { ...caller, hasConfirmed: () => confirmed });
        try {
          const { changes } = await perform(c, documents.apply, { body: { document, prune, confirmed } });
          return { to: projectPath(project), text: `Imported: ${counted(changes.length, "change")}.` };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "unconfirmed") throw error;
          const [typed, why] = [textOf(fields, "confirm"), textOf(fields, "why")];
          return lockedDocumentPage(await review(), error.message, typed, why);
        }
      },
      async (_, { message }) => {
        const documentFault = sentence(message);
        return importPage(await getProject(app, project), { environment: null, documentFault, prune });
      },
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

/** A document of one project and nothing else. Throws `invalid`. */
function documentIn(document: Record<string, unknown>, project: string): Record<string, unknown> {
  const { projects, forms } = document;
  const others = isObject(projects) ? Object.keys(projects).filter((slug) => slug !== project) : [];
  if (others.length > 0)
    throw new AppError("invalid", `the document names another project: ${others.join(", ")}`);
  if (forms !== undefined)
    throw new AppError("invalid", "the document holds forms, which are not of a project");
  return document;
}

type ImportDraft = {
  environment: string | null;
  flagdFault?: string | undefined;
  documentFault?: string | undefined;
  prune?: boolean;
};

/** The page on which a file is chosen. */
function importPage(project: Project, { environment, ...draft }: ImportDraft): Page {
  const { slug, environments } = project;
  const path = `${projectPath(slug)}/import`;
  const first = environment ?? environments[0]?.slug ?? "develop";
  return projectPage({
    project: slug,
    tab: "settings",
    title: "Import a file",
    heading: "Import a file",
    back: { to: `${projectPath(slug)}/settings`, label: "Settings" },
    topics: [],
    commands: [
      ["A flagd file", "flags import", "flags.json", { p: slug, e: first, "dry-run": true }],
      ["A document", "diff -f shop.yaml\nformflag apply -f shop.yaml"],
    ],
    content: (
      <>
        <p>
          What would change is shown first. A file has up to 1 MB here; commands take larger ones, and YAML.
        </p>
        <Card id="flagd" title="A flagd file, into one environment">
          <Form to={`${path}/flagd`} hasFile class="stack narrow" id="flagd-form">
            <ChangedEnvironmentField environments={environments} value={environment} />
            <FileField id="flagd-file" label="flagd file" fault={draft.flagdFault} />
            <p class="buttons">
              <Button kind="primary">Show what would change</Button>
            </p>
          </Form>
        </Card>
        <DocumentForm to={`${path}/document`} draft={draft} />
      </>
    ),
  });
}

function DocumentForm({
  to,
  draft: { documentFault, prune },
}: {
  to: string;
  draft: Omit<ImportDraft, "environment">;
}) {
  if (!useMay("admin")) return null;
  return (
    <Card id="document" title="A document, into every environment that it names">
      <Form to={to} hasFile class="stack narrow" id="document-form">
        <FileField id="document-file" label="Document in JSON" fault={documentFault} />
        <CheckField
          name="prune"
          label="Delete what the document does not name"
          hint="Flags, segments and environments, in each section that it has."
          checked={prune === true}
        />
        <p class="buttons">
          <Button kind="primary">Show what would change</Button>
        </p>
      </Form>
    </Card>
  );
}

function FileField({ id, label, fault }: { id: string; label: string; fault: string | undefined }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        type="file"
        id={id}
        name="file"
        accept=".json,application/json"
        required
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={fault === undefined ? undefined : `${id}-error`}
      />
      {fault !== undefined && (
        <p class="error value" id={`${id}-error`}>
          {fault}
        </p>
      )}
    </div>
  );
}
