import type { Project, Usage } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { useMay } from "../view.ts";
import { Pager } from "../parts/list.tsx";
import { environmentPath, projectPath } from "../paths.ts";
import { ProjectForm, type TypedSettings } from "./project-form.tsx";
import { projectPage } from "./project-page.tsx";
import {
  type Draft,
  EnvironmentCard,
  Key,
  NewEnvironment,
  type ShownEnvironment,
} from "./environment-cards.tsx";

export type Settings = {
  project: Project;
  /** The environments of this page. */
  environments: ShownEnvironment[];
  /** The last environment of the page before. */
  after: string;
  more: boolean;
  usage: Usage | null;
  typed?: TypedSettings;
  /** A new environment as it was typed. */
  draft?: Draft;
};

export function settingsPage(settings: Settings): Page {
  const { project, usage, environments, after, more, typed, draft } = settings;
  const { slug } = project;
  const path = `${projectPath(slug)}/settings`;
  return projectPage({
    project: slug,
    tab: "settings",
    title: "Settings",
    heading: "Settings",
    ...((typed || draft) && { topics: [] }),
    commands: [
      { label: "Shows keys and locks", text: formflag("projects get", slug) },
      { label: "Locks an environment", text: formflag("environments lock", "production", { p: slug }) },
      { label: "Renames the project", text: formflag("projects set", slug, { name: project.name }) },
      {
        label: "Saves flags and segments as a file",
        text: formflag("export", { p: slug, o: `${slug}.yaml` }),
      },
    ],
    content: (
      <>
        <Card id="project" title="Project">
          <Facts
            facts={[
              ["Slug", <code>{slug}</code>],
              ["Key, sent as x-project-key", <Key id="project-key" value={project.key} />],
            ]}
          />
          <ProjectForm project={project} usage={usage} typed={typed} />
        </Card>
        <section class="stack" aria-labelledby="environments">
          <h2 id="environments">Environments</h2>
          <ol class="items columns">
            {environments.map((each, index) => (
              <li class="card" id={`environment-${each.environment.slug}`}>
                <EnvironmentCard project={slug} index={index} {...each} />
              </li>
            ))}
          </ol>
          <Pager
            to={path}
            isLater={after !== ""}
            next={more && { after: environments.at(-1)!.environment.slug }}
          />
        </section>
        <NewEnvironment project={project} draft={draft} />
        <Files project={project} />
        <Deletion project={project} />
      </>
    ),
  });
}

/** Files of flags and segments, out and in. */
function Files({ project: { slug, environments } }: { project: Project }) {
  const canImport = useMay("flags:write");
  return (
    <Card id="files" title="Files">
      <p>
        A document holds the flags and segments of every environment. A flagd file holds those of one, as
        flagd and OpenFeature's providers read it.
      </p>
      <ul class="buttons">
        <li>
          <ButtonLink to={`${projectPath(slug)}/document.json`} icon="download">
            Document
          </ButtonLink>
        </li>
        {environments.slice(0, 20).map((environment) => (
          <li>
            <ButtonLink to={`${environmentPath(slug, environment.slug)}/flagd.json`} icon="download">
              flagd, {environment.slug}
            </ButtonLink>
          </li>
        ))}
      </ul>
      {canImport && (
        <p>
          <ButtonLink to={`${projectPath(slug)}/import`}>Import a file…</ButtonLink>
        </p>
      )}
    </Card>
  );
}

function Deletion({ project: { slug } }: { project: Project }) {
  if (!useMay("admin", {})) return null;
  return (
    <Card id="delete-project" title="Delete the project">
      <p>Its environments, flags, segments, forms, submissions and history are deleted with it.</p>
      <p>
        <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
          Delete {slug}…
        </ButtonLink>
      </p>
    </Card>
  );
}
