import type { Project } from "../../../projects/project.ts";
import { useMay } from "../view.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { CheckField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { projectPath } from "../paths.ts";
import { ChangedEnvironmentField } from "../parts/list.tsx";
import { Card } from "../parts/card.tsx";
import { projectPage } from "./project-page.tsx";

type ImportDraft = {
  environment: string | null;
  flagdFault?: string | undefined;
  documentFault?: string | undefined;
  prune?: boolean;
};

/** The page on which a file is chosen. */
export function importPage(project: Project, { environment, ...draft }: ImportDraft): Page {
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
      {
        label: "A flagd file",
        text: formflag("flags import", "flags.json", { p: slug, e: first, "dry-run": true }),
      },
      { label: "A document", text: "formflag diff -f shop.yaml\nformflag apply -f shop.yaml" },
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
