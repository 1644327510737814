import { formatBytes, parseBytes } from "../../../base/bytes.ts";
import { projectPatchSchema } from "../../../projects/project-schema.ts";
import {
  PROJECT_SETTINGS,
  type Project,
  type ProjectPatch,
  type ProjectSettings,
  type Usage,
} from "../../../projects/project.ts";
import { INSTANCE_SETTINGS } from "../../../projects/settings.ts";
import { type Fields, textOf } from "../fields.ts";
import { Facts } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form, Hidden } from "../parts/link.tsx";
import { type Faults, checkAll, faultAt } from "../parts/submit.ts";
import { projectPath } from "../paths.ts";
import { useMay } from "../view.ts";

/** The settings of a project as they were typed, with what is wrong with them. */
export type TypedSettings = { fields: Fields; faults: Faults };

type SettingName = keyof ProjectSettings;

/** A setting as its field has it. `used` is how much of it is used, in words. */
type SettingField = {
  label: string;
  hint: string;
  used?: (usage: Usage) => string | null;
  /** Its value as a text, and the value of a text; undefined for a text that is none. */
  show: (value: never) => string;
  read: (text: string) => unknown;
};

const text = { show: (value: string) => value, read: (text: string) => text };

const SETTINGS: Record<SettingName, SettingField> = {
  name: { label: "Name", hint: "For people; the slug and the key stay.", ...text },
  accent: {
    label: "Color",
    hint: "Of the built-in pages of its forms, such as #0b68cb; empty for the usual one.",
    ...text,
  },
  mailFrom: {
    label: "Sender of mail",
    hint: "About submissions of its forms, such as Shop <shop@example.com>; empty for that of the server.",
    ...text,
  },
  maxSubmissions: {
    label: "Submissions a day",
    hint: "At most, to all of its forms, in UTC; empty for any number.",
    used: ({ submissions }) => `${submissions.toLocaleString("en")} today.`,
    show: String,
    read: (text) => (/^\d{1,10}$/.test(text) ? Number(text) : undefined),
  },
  maxStorage: {
    label: "Storage",
    hint: "At most, of the submissions and files of all of its forms, such as 5 GB; empty for any size.",
    used: ({ storage }) => (storage === null ? null : `${formatBytes(storage)} used.`),
    show: formatBytes,
    read: (text) => parseBytes(text),
  },
};

const isOfInstance = (name: SettingName) => (INSTANCE_SETTINGS as readonly SettingName[]).includes(name);

/** The name of the field that has the text with which the page was made. */
const beforeName = (name: SettingName) => `before-${name}`;

function shownText(project: Project, name: SettingName): string {
  const value = project[name];
  return value === null ? "" : SETTINGS[name].show(value as never);
}

/** The settings that a form changes; others stay, which may have changed since. Throws `invalid`. */
export function projectPatchIn(fields: Fields): ProjectPatch {
  const patch: Partial<Record<SettingName, unknown>> = {};
  for (const name of PROJECT_SETTINGS) {
    const text = textOf(fields, name).trim();
    const isSame = fields.has(beforeName(name)) && text === textOf(fields, beforeName(name));
    if (!fields.has(name) || isSame) continue;
    const value = text === "" && name !== "name" ? null : SETTINGS[name].read(text);
    if (value === undefined)
      throw faultAt(name, name === "maxStorage" ? "write a size, such as 5 GB" : "write a whole number");
    patch[name] = value;
  }
  return Object.keys(patch).length === 0 ? {} : checkAll(projectPatchSchema, patch);
}

/** The settings of a project: fields for those that the person may change, and the others as facts. */
export function ProjectForm({
  project,
  usage,
  typed,
}: {
  project: Project;
  usage: Usage | null;
  typed: TypedSettings | undefined;
}) {
  const [isAdmin, isOfEverything] = [useMay("admin"), useMay("admin", {})];
  const mayChange = (name: SettingName) => (isOfInstance(name) ? isOfEverything : isAdmin);
  const shown = PROJECT_SETTINGS.filter(mayChange);
  const facts = PROJECT_SETTINGS.filter((name) => !mayChange(name) && project[name] !== null).map(
    (name): [string, string] => [SETTINGS[name].label, limitText(project, name, usage)],
  );
  return (
    <>
      {facts.length > 0 && <Facts facts={facts} />}
      {shown.length > 0 && (
        <Form to={`${projectPath(project.slug)}/settings`} class="stack" id="project-form">
          <Hidden
            values={shown.map((name) => [
              beforeName(name),
              typed ? textOf(typed.fields, beforeName(name)) : shownText(project, name),
            ])}
          />
          <div class="columns">
            {shown.map((name) => (
              <TextField
                id={`project-${name}`}
                name={name}
                label={SETTINGS[name].label}
                hint={[SETTINGS[name].hint, usage && SETTINGS[name].used?.(usage)].filter(Boolean).join(" ")}
                value={typed ? textOf(typed.fields, name) : shownText(project, name)}
                error={typed?.faults[name]}
                maxlength={name === "name" ? 200 : 500}
                required={name === "name"}
              />
            ))}
          </div>
          <p class="buttons">
            <Button kind="primary" label="Save the settings of the project">
              Save
            </Button>
          </p>
        </Form>
      )}
    </>
  );
}

/** A setting as a fact, with how much of it is used. */
function limitText(project: Project, name: SettingName, usage: Usage | null): string {
  const used = usage && SETTINGS[name].used?.(usage);
  return used ? `at most ${shownText(project, name)}; ${used.replace(/\.$/, "")}` : shownText(project, name);
}
