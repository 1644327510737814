import type { Project } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { formflag } from "../parts/commands.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { useMay } from "../view.ts";
import { Pager } from "../parts/list.tsx";
import { environmentPath, projectPath } from "../paths.ts";
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
  /** The name of the project as it was typed, with what is wrong with it. */
  name?: { value: string; fault: string | undefined };
  /** A new environment as it was typed. */
  draft?: Draft;
};

export function settingsPage(settings: Settings): Page {
  const { project, environments, after, more, name, draft } = settings;
  const { slug } = project;
  const path = `${projectPath(slug)}/settings`;
  return projectPage({
    project: slug,
    tab: "settings",
    title: "Settings",
    heading: "Settings",
    ...((name || draft) && { topics: [] }),
    commands: [
      { label: "Shows keys and locks", text: formflag("projects get", slug) },
      { label: "Locks an environment", text: formflag("environments lock", "production", { p: slug }) },
      { label: "Renames the project", text: `formflag apply -f - <<'EOF'\n${renameDocument(project)}\nEOF` },
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
          <NameForm project={project} typed={name} />
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
        <AdminLinks project={project} />
      </>
    ),
  });
}

function renameDocument({ slug, name }: Project): string {
  return `projects:\n  ${JSON.stringify(slug)}:\n    name: ${JSON.stringify(name)}`;
}

/** A key with a button that copies it. */
function NameForm({ project: { slug, name }, typed }: { project: Project; typed: Settings["name"] }) {
  if (!useMay("admin")) return <Facts facts={[["Name", name]]} />;
  return (
    <Form to={`${projectPath(slug)}/settings`} class="narrow stack" id="name-form">
      <TextField
        id="project-name"
        name="name"
        label="Name"
        hint="What people read; the slug and the key stay."
        value={typed?.value ?? name}
        error={typed?.fault}
        maxlength={200}
        required
      />
      <p class="buttons">
        <Button>Rename</Button>
      </p>
    </Form>
  );
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

function AdminLinks({ project: { slug } }: { project: Project }) {
  if (!useMay("admin")) return null;
  return (
    <>
      <Card id="tokens" title="Tokens">
        <p>A token can be limited to this project, or to one of its environments.</p>
        <p>
          <ButtonLink to="/access/tokens" query={{ project: slug }} icon="key">
            Tokens
          </ButtonLink>
        </p>
      </Card>
      <Card id="delete-project" title="Delete the project">
        <p>Its environments, flags, segments and history are deleted with it.</p>
        <p>
          <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
            Delete {slug}…
          </ButtonLink>
        </p>
      </Card>
    </>
  );
}
