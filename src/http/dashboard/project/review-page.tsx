import type { Difference } from "../../../documents/document.ts";
import type { compareImport } from "../../../flags/imports.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { HistoryEntry } from "../../../access/history-entry.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Danger } from "../parts/danger.tsx";
import { Changes, Plan } from "../parts/plan.tsx";
import { projectPath } from "../paths.ts";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { stateOf } from "../changes/revision-card.tsx";
import { projectPage } from "./project-page.tsx";

/** Warnings that a page shows. */
const SHOWN = 50;

type Flagd = {
  project: string;
  environment: Environment;
  document: object;
  imported: Awaited<ReturnType<typeof compareImport>>;
};

/** A page behind that of imports. */
function importStep(
  project: string,
  page: Pick<Page, "title" | "commands" | "content"> & { heading: string },
) {
  const back = { to: `${projectPath(project)}/import`, label: "Import a file" };
  return projectPage({ project, tab: "settings", back, topics: [], ...page });
}

/** Review page of a flagd import. */
export function flagdPage({ project, environment, document, imported }: Flagd): Page {
  const { differences, warnings, flags, segments } = imported;
  const { slug } = environment;
  const path = `${projectPath(project)}/import`;
  const same = [...flags, ...segments].filter(({ result }) => result === "unchanged").length;
  const isMoved = differences.length === 0 && same < flags.length + segments.length;
  return importStep(project, {
    title: `Review the import into ${slug}`,
    heading: `Import into ${slug}`,
    commands: [["Does the same", "flags import", "flags.json", { p: project, e: slug }]],
    content: (
      <div class="stack">
        <p>
          This changes <EnvironmentName environment={environment} />, all at once or not at all. What the file
          does not name stays
          {same > 0 && `, and ${same.toLocaleString("en")} of what it names is the same already`}.
        </p>
        <Warnings warnings={warnings} />
        <Differences differences={differences} />
        <Plan
          nothing={differences.length === 0 && !isMoved && NOTHING}
          environments={[environment]}
          {...formOf(`${path}/flagd`, document, { environment: slug })}
          act={`Import into ${slug}`}
          back={{ to: path }}
        />
      </div>
    ),
  });
}

const NOTHING = "Nothing would change.";

function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn" title="Rules that fail when they are evaluated">
      <ul>
        {warnings.slice(0, SHOWN).map((warning) => (
          <li>
            <Foreign text={warning} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The form that sends the file that was reviewed once more, and has it imported. */
function formOf(to: string, document: object, values: Readonly<Record<string, string>>) {
  const sent = { ...values, act: "import", file: JSON.stringify(document) };
  return { to, values: sent, hasFile: true, class: "stack narrow", id: "import", why: "" };
}

/** Changes as the history would record them. */
export function Differences({ differences }: { differences: readonly HistoryEntry[] }) {
  const changes = differences.map((each) => ({
    title: `${each.kind} ${each.name}`,
    before: stateOf(each, each.before),
    after: stateOf(each, each.after),
  }));
  return <Changes changes={changes} />;
}

type Documented = {
  project: string;
  document: object;
  prune: boolean;
  changes: readonly Difference[];
  warnings: readonly string[];
};

/** Review page of a document's import. */
export function documentPage({ project, document, prune, changes, warnings }: Documented): Page {
  const path = `${projectPath(project)}/import`;
  return importStep(project, {
    title: "Review the import of a document",
    heading: "Import a document",
    commands: [["Does the same", "apply", { f: "shop.json", prune }]],
    content: (
      <div class="stack">
        <Warnings warnings={warnings} />
        <DocumentDifferences differences={changes} />
        <Plan
          nothing={changes.length === 0 && NOTHING}
          {...formOf(`${path}/document`, document, prune ? { prune: "on" } : {})}
          act={`Make ${changes.length === 1 ? "this change" : `these ${changes.length.toLocaleString("en")} changes`}`}
          back={{ to: path }}
        />
      </div>
    ),
  });
}

const TONES: Record<Difference["action"], Tone> = { create: "good", update: "info", delete: "bad" };

function DocumentDifferences({ differences }: { differences: readonly Difference[] }) {
  const changes = differences.map(({ action, path, before, after }) => ({
    title: (
      <>
        <Badge tone={TONES[action]}>{action}</Badge> <code>{path}</code>
      </>
    ),
    before: before ?? {},
    after: after ?? {},
  }));
  return <Changes changes={changes} />;
}

/** The page that asks for the confirmation of a document that deletes, or changes what is locked. */
export function lockedDocumentPage(
  documented: Documented,
  message: string,
  typed: string,
  why: string,
): Page {
  const { project, document, prune, changes: differences } = documented;
  const path = `${projectPath(project)}/import`;
  return {
    ...documentPage(documented),
    title: `Confirm the import of a document, ${project}`,
    heading: "Import the document?",
    status: 428,
    content: (
      <div class="stack narrow">
        <Notice tone="warn">
          <p>{sentence(message)}</p>
        </Notice>
        <DocumentDifferences differences={differences} />
        <Danger
          {...formOf(`${path}/document`, document, prune ? { prune: "on" } : {})}
          why={why}
          words={[
            {
              name: "confirm",
              id: "confirm-project",
              word: project,
              fault: typed === "" ? null : "That is not the name of the project. Nothing has changed.",
            },
          ]}
          kind="primary"
          act="Import the document"
          back={{ to: path }}
        />
      </div>
    ),
  };
}
