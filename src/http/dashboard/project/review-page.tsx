import { WhyField } from "../parts/why-field.tsx";
import type { Difference, Document } from "../../../documents/document.ts";
import type { importFlags } from "../../../flags/imports.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { HistoryEntry } from "../../../projects/history.ts";
import type { Project } from "../../../projects/project.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { MayChange } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Hidden } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import type { PropsWithChildren } from "hono/jsx";
import { stateOf } from "../changes/change-card.tsx";
import { projectPage } from "./project-page.tsx";
import { FileForm } from "./file-form.tsx";

/** Differences and warnings that a page shows. */
const SHOWN = 50;

type Flagd = {
  project: Project;
  environment: Environment;
  document: object;
  imported: Awaited<ReturnType<typeof importFlags>>;
};

/** What the import of a flagd file would change. */
export function flagdPage({ project: { slug }, environment, document, imported }: Flagd): Page {
  const { differences, warnings, flags, segments } = imported;
  const path = `${projectPath(slug)}/import`;
  const same = [...flags, ...segments].filter(({ result }) => result === "unchanged").length;
  const isMoved = differences.length === 0 && same < flags.length + segments.length;
  return projectPage({
    project: slug,
    tab: "settings",
    title: `Review the import into ${environment.slug}`,
    heading: `Import into ${environment.slug}`,
    back: { to: path, label: "Import a file" },
    topics: [],
    commands: [
      {
        label: "Does the same",
        text: `formflag flags import flags.json -p ${quoted(slug)} -e ${quoted(environment.slug)}`,
      },
    ],
    content: (
      <div class="stack">
        <p>
          This changes <EnvironmentName environment={environment} />, all at once or not at all. What the file
          does not name stays
          {same > 0 && `, and ${same.toLocaleString("en")} of what it names is the same already`}.
        </p>
        {warnings.length > 0 && (
          <Notice tone="warn" title="Rules that fail when they are evaluated">
            <ul>
              {warnings.slice(0, SHOWN).map((warning) => (
                <li>
                  <Foreign text={warning} />
                </li>
              ))}
            </ul>
          </Notice>
        )}
        <Differences differences={differences} />
        {differences.length === 0 && !isMoved ? (
          <Notice>
            <p>Nothing would change.</p>
          </Notice>
        ) : (
          <MayChange environments={[environment]}>
            <ReviewForm
              to={`${path}/flagd`}
              values={{ environment: environment.slug }}
              document={document}
              label={`Import into ${environment.slug}`}
              back={path}
            />
          </MayChange>
        )}
      </div>
    ),
  });
}

/** Sends the file that was reviewed once more, and has it imported. */
function ReviewForm({
  to,
  values,
  document,
  label,
  back,
  why = "",
  children,
}: PropsWithChildren<{
  to: string;
  values: Readonly<Record<string, string>>;
  document: object;
  label: string;
  back: string;
  why?: string;
}>) {
  return (
    <FileForm to={to} id="import">
      <Hidden values={{ ...values, act: "import", file: JSON.stringify(document) }} />
      <WhyField value={why} />
      {children}
      <p class="buttons">
        <Button kind="primary">{label}</Button>
        <ButtonLink to={back} kind="quiet">
          Back
        </ButtonLink>
      </p>
    </FileForm>
  );
}

/** Changes as the history would record them. */
export function Differences({ differences }: { differences: readonly HistoryEntry[] }) {
  return (
    <>
      {differences.slice(0, SHOWN).map((each) => (
        <section class="card">
          <h2>
            {each.kind} {each.name}
          </h2>
          <Diff before={stateOf(each, each.before)} after={stateOf(each, each.after)} />
        </section>
      ))}
      {differences.length > SHOWN && (
        <p class="soft">And {(differences.length - SHOWN).toLocaleString("en")} more.</p>
      )}
    </>
  );
}

type Documented = {
  project: Project;
  document: Document;
  prune: boolean;
  differences: readonly Difference[];
};

/** What the import of a document would change. */
export function documentPage({ project: { slug }, document, prune, differences }: Documented): Page {
  const path = `${projectPath(slug)}/import`;
  return projectPage({
    project: slug,
    tab: "settings",
    title: "Review the import of a document",
    heading: "Import a document",
    back: { to: path, label: "Import a file" },
    topics: [],
    commands: [{ label: "Does the same", text: `formflag apply -f shop.json${prune ? " --prune" : ""}` }],
    content: (
      <div class="stack">
        <DocumentDifferences differences={differences} />
        {differences.length === 0 ? (
          <Notice>
            <p>Nothing would change.</p>
          </Notice>
        ) : (
          <ReviewForm
            to={`${path}/document`}
            values={prune ? { prune: "on" } : {}}
            document={document}
            label={`Make ${differences.length === 1 ? "this change" : `these ${differences.length.toLocaleString("en")} changes`}`}
            back={path}
          />
        )}
      </div>
    ),
  });
}

const TONES: Record<Difference["action"], Tone> = { create: "good", update: "info", delete: "bad" };

function DocumentDifferences({ differences }: { differences: readonly Difference[] }) {
  return (
    <>
      {differences.slice(0, SHOWN).map(({ action, path, before, after }) => (
        <section class="card">
          <h2>
            <Badge tone={TONES[action]}>{action}</Badge> <code>{path}</code>
          </h2>
          <Diff before={before ?? {}} after={after ?? {}} />
        </section>
      ))}
      {differences.length > SHOWN && (
        <p class="soft">And {(differences.length - SHOWN).toLocaleString("en")} more.</p>
      )}
    </>
  );
}

/** The page that asks for the confirmation of a document that deletes, or changes what is locked. */
export function lockedDocumentPage(
  documented: Documented,
  message: string,
  typed: string,
  why: string,
): Page {
  const { project, document, prune, differences } = documented;
  const path = `${projectPath(project.slug)}/import`;
  return {
    ...documentPage(documented),
    title: `Confirm the import of a document, ${project.slug}`,
    heading: "Import the document?",
    status: 428,
    content: (
      <div class="stack narrow">
        <Notice tone="warn">
          <p>{sentence(message)}</p>
        </Notice>
        <DocumentDifferences differences={differences} />
        <ReviewForm
          to={`${path}/document`}
          values={prune ? { prune: "on" } : {}}
          document={document}
          label="Import the document"
          back={path}
          why={why}
        >
          <TextField
            name="confirm"
            id="confirm-project"
            label={`Type ${project.slug} to confirm`}
            error={typed === "" ? null : "That is not the name of the project. Nothing has changed."}
            required
          />
        </ReviewForm>
      </div>
    ),
  };
}
