import { COLORS } from "../../../projects/color.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Button, ButtonForm, ButtonLink, Form } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { Facts } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useMay } from "../view.ts";
import { EnvironmentField, Pager } from "./filter-form.tsx";
import { environmentPath, projectPage } from "./project-page.tsx";

type Draft = { slug: string; name: string; from: string; color: string; faults: Record<string, string> };

export type Settings = {
  project: Project;
  /** Those of this page; `readAt` is when a flag of it was last read. */
  environments: { environment: Environment; readAt: number | null }[];
  /** The last environment of the page before. */
  after: string;
  more: boolean;
  /** The name of the project as it was typed, with what is wrong with it. */
  name?: { value: string; fault: string };
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
      { label: "Shows keys and locks", text: `formflag projects get ${quoted(slug)}` },
      { label: "Locks an environment", text: `formflag environments lock production -p ${quoted(slug)}` },
      { label: "Renames the project", text: `formflag apply -f - <<'EOF'\n${renameDocument(project)}\nEOF` },
      {
        label: "Saves flags and segments as a file",
        text: `formflag export -p ${quoted(slug)} -o ${quoted(slug)}.yaml`,
      },
    ],
    content: (
      <>
        <section class="card" aria-labelledby="project">
          <h2 id="project">Project</h2>
          <Facts
            facts={[
              ["Slug", <code>{slug}</code>],
              ["Key, sent as x-project-key", <Key id="project-key" value={project.key} />],
            ]}
          />
          <NameForm project={project} typed={name} />
        </section>
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
            newest={after !== "" && <ButtonLink to={path}>First</ButtonLink>}
            older={
              more && (
                <ButtonLink to={path} query={{ after: environments.at(-1)!.environment.slug }}>
                  Next
                </ButtonLink>
              )
            }
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
function Key({ id, value }: { id: string; value: string }) {
  return (
    <span class="buttons">
      <code id={id}>{value}</code>
      <button
        type="button"
        class="button quiet scripted-only"
        data-copy={`#${id}`}
        aria-label={`Copy ${value}`}
      >
        Copy
      </button>
    </span>
  );
}

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

const COLOR_OPTIONS = [
  { value: "", label: "none" },
  ...COLORS.map((color) => ({ value: color, label: color as string })),
];

type CardProps = { project: string; index: number } & Settings["environments"][number];

function EnvironmentCard({ project, index, environment, readAt }: CardProps) {
  const { slug, name, key, locked, color } = environment;
  const path = environmentPath(project, slug);
  const isAdmin = useMay("admin");
  return (
    <>
      <h3>
        <EnvironmentName environment={environment} />
      </h3>
      <Facts
        facts={[
          name !== slug && ["Name", name],
          ["Key, sent as x-environment-key", <Key id={`key-${index}`} value={key} />],
          ["Last read", readAt === null ? "never" : <Time at={readAt} />],
        ]}
      />
      {isAdmin && (
        <>
          <Form to={`${path}/settings`} class="filters" id={`color-${slug}`} label={`Color of ${slug}`}>
            <SelectField
              id={`color-of-${index}`}
              name="color"
              label="Color"
              value={color ?? ""}
              options={COLOR_OPTIONS}
            />
            <Button label={`Save the color of ${slug}`}>Save</Button>
          </Form>
          <div class="buttons">
            <ButtonForm
              to={`${path}/settings`}
              values={{ locked: String(!locked) }}
              icon="lock"
              label={`${locked ? "Unlock" : "Lock"} ${slug}`}
            >
              {locked ? "Unlock" : "Lock"}
            </ButtonForm>
            <ButtonLink to={`${path}/delete`} kind="danger" icon="trash">
              Delete…<span class="unseen"> {slug}</span>
            </ButtonLink>
          </div>
        </>
      )}
    </>
  );
}

const NO_DRAFT: Draft = { slug: "", name: "", from: "", color: "", faults: {} };

function NewEnvironment({
  project: { slug, environments },
  draft = NO_DRAFT,
}: {
  project: Project;
  draft?: Draft | undefined;
}) {
  if (!useMay("admin")) return null;
  const { faults } = draft;
  return (
    <section class="card" aria-labelledby="new-environment">
      <h2 id="new-environment">Create an environment</h2>
      <Form to={`${projectPath(slug)}/environments`} class="stack narrow" id="environment-form">
        <TextField
          id="environment-slug"
          name="slug"
          label="Slug"
          hint="As commands and addresses name it, such as staging."
          value={draft.slug}
          error={faults["slug"]}
          maxlength={150}
          required
        />
        <TextField
          id="environment-name"
          name="name"
          label="Name"
          hint="What people read; the slug where it is empty."
          value={draft.name}
          error={faults["name"]}
          maxlength={200}
        />
        <EnvironmentField
          name="from"
          label="Starts with the flags and segments of"
          environments={environments.slice(0, 200)}
          value={draft.from}
          all="none: every flag is off"
        />
        {faults["from"] !== undefined && <p class="error">{faults["from"]}</p>}
        <SelectField
          id="environment-color"
          name="color"
          label="Color"
          value={draft.color}
          options={COLOR_OPTIONS}
        />
        <p class="buttons">
          <Button kind="primary" icon="plus">
            Create
          </Button>
        </p>
      </Form>
    </section>
  );
}

/** Files of flags and segments, out and in. */
function Files({ project: { slug, environments } }: { project: Project }) {
  const canImport = useMay("flags:write");
  return (
    <section class="card" aria-labelledby="files">
      <h2 id="files">Files</h2>
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
    </section>
  );
}

function AdminLinks({ project: { slug } }: { project: Project }) {
  if (!useMay("admin")) return null;
  return (
    <>
      <section class="card" aria-labelledby="tokens">
        <h2 id="tokens">Tokens</h2>
        <p>A token can be limited to this project, or to one of its environments.</p>
        <p>
          <ButtonLink to="/access/tokens" query={{ project: slug }} icon="key">
            Tokens
          </ButtonLink>
        </p>
      </section>
      <section class="card" aria-labelledby="delete-project">
        <h2 id="delete-project">Delete the project</h2>
        <p>Its environments, flags, segments and history are deleted with it.</p>
        <p>
          <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
            Delete {slug}…
          </ButtonLink>
        </p>
      </section>
    </>
  );
}
