import type { Project, Usage } from "../../../projects/project.ts";
import {
  PROJECT_SETTINGS,
  SETTINGS,
  type SettingName,
  settingText,
} from "../../../projects/project-settings.ts";
import type { Fields } from "../fields.ts";
import { Facts } from "../parts/card.tsx";
import { Fold } from "../parts/fold.tsx";
import { SettingFields, changedIn } from "../parts/kind-field.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Typed } from "../parts/submit.ts";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { useMay } from "../view.ts";
import { Change, Key } from "./environments.tsx";
import { Section, settingsPath } from "./section.tsx";
import { environmentPath, projectPath } from "../paths.ts";

/** The settings that a form changes, as {@link changedIn}; others stay, which may have changed since. */
export function projectPatchIn(fields: Fields) {
  const names = PROJECT_SETTINGS.filter((name) => fields.has(name));
  return changedIn(
    names.map((name) => [name, SETTINGS[name].kind] as const),
    fields,
  );
}

type Props = { project: Project; usage: Usage | null; typed: Typed | undefined };

/** The settings of a project in words, each with its field for those who may change it. */
export function General({ project, usage, typed }: Props) {
  return (
    <Section id="general">
      <details class="fold">
        <summary>
          <span>Keys</span>
          <span>
            <code>{project.slug}</code>, sent as <code>{project.key}</code>
          </span>
          <span class="change">Show</span>
        </summary>
        <Facts
          facts={[
            ["Slug", <code>{project.slug}</code>],
            ["Key, sent as x-project-key", <Key id="project-key" value={project.key} />],
          ]}
        />
      </details>
      {PROJECT_SETTINGS.map((name) => (
        <SettingFold project={project} usage={usage} typed={typed} name={name} />
      ))}
    </Section>
  );
}

function SettingFold({ project, usage, typed, name }: Props & { name: SettingName }) {
  const { kind, label, hint, required = false, isOfInstance } = SETTINGS[name];
  const mayChange = useMay("admin", isOfInstance ? {} : { project: project.slug });
  const sent = typed?.fields.has(name) ? typed : undefined;
  const text = settingText(project, name);
  if (!mayChange && text === "") return null;
  return (
    <Fold
      name={label}
      sentence={<Foreign text={inWords(project, name, usage)} />}
      act={mayChange ? <Change of={label} /> : null}
      isOpen={sent !== undefined}
    >
      {mayChange && (
        <Form to={settingsPath(project.slug)} class="editor" id={`form-${name}`} label={label}>
          <SettingFields
            settings={[{ name, kind, label, hint, text, id: `project-${name}`, required }]}
            sent={sent}
          />
          <p class="buttons">
            <Button label={`Save: ${label}`}>Save</Button>
          </p>
        </Form>
      )}
    </Fold>
  );
}

/** A setting, with how much of it is used. */
function inWords(project: Project, name: SettingName, usage: Usage | null) {
  const { kind, used } = SETTINGS[name];
  const isLimit = kind.is === "count" || kind.is === "bytes";
  const [text, usedText] = [settingText(project, name), usage && used?.(usage)];
  const value = text === "" ? (isLimit ? "no limit" : "the usual one") : isLimit ? `at most ${text}` : text;
  return usedText ? `${value}; ${usedText}` : value;
}

/** Files of flags and segments, out and in. */
export function Files({ project: { slug, environments } }: { project: Project }) {
  const canImport = useMay("flags:write");
  const path = projectPath(slug);
  return (
    <Section
      id="files"
      end={
        <>
          {canImport && (
            <>
              <A to={`${path}/import`}>Import a file…</A> ·{" "}
            </>
          )}
          <A to={`${path}/document.json`}>Export a document</A>
        </>
      }
    >
      <details class="fold">
        <summary>
          <span>flagd</span>
          <span>
            A document holds the flags and segments of every environment; a flagd file those of one, as flagd
            and OpenFeature's providers read it.
          </span>
          <span class="change">Export</span>
        </summary>
        <ul class="buttons">
          {environments.slice(0, 20).map((environment) => (
            <li>
              <ButtonLink to={`${environmentPath(slug, environment.slug)}/flagd.json`} icon="download">
                flagd, {environment.slug}
              </ButtonLink>
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}

/** The way to the page that deletes the project. */
export function Deletion({ project: { slug } }: { project: Project }) {
  if (!useMay("admin", {})) return null;
  return (
    <section class="card" id="delete-project" aria-labelledby="delete-title">
      <div class="title">
        <h2 id="delete-title">Delete</h2>
        <span class="end">
          <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
            Delete {slug}…
          </ButtonLink>
        </span>
      </div>
      <p class="soft small">
        Its environments, flags, segments, forms, submissions and history are deleted with it.
      </p>
    </section>
  );
}
