import type { Project, Usage } from "../../../projects/project.ts";
import {
  PROJECT_SETTINGS,
  SETTINGS,
  type SettingName,
  settingText,
  settingValue,
} from "../../../projects/project-settings.ts";
import { type Fields, textOf } from "../fields.ts";
import { Facts } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form, Hidden } from "../parts/link.tsx";
import { type Faults, faultAt } from "../parts/submit.ts";
import { projectPath } from "../paths.ts";
import { useMay } from "../view.ts";

/** The settings of a project as they were typed, with what is wrong with them. */
export type TypedSettings = { fields: Fields; faults: Faults };

/** The name of the field that has the text with which the page was made. */
const beforeName = (name: SettingName) => `before-${name}`;

/** The settings that a form changes; others stay, which may have changed since. Throws the fault of a field. */
export function projectPatchIn(fields: Fields): Partial<Record<SettingName, unknown>> {
  const patch: Partial<Record<SettingName, unknown>> = {};
  for (const name of PROJECT_SETTINGS) {
    const text = textOf(fields, name).trim();
    const isSame = fields.has(beforeName(name)) && text === textOf(fields, beforeName(name));
    if (!fields.has(name) || isSame) continue;
    patch[name] = settingValue(name, text);
    if (patch[name] === undefined)
      throw faultAt(
        name,
        SETTINGS[name].is === "bytes" ? "write a size, such as 5 GB" : "write a whole number",
      );
  }
  return patch;
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
  const mayChange = (name: SettingName) => (SETTINGS[name].isOfInstance ? isOfEverything : isAdmin);
  const shown = PROJECT_SETTINGS.filter(mayChange);
  const facts = PROJECT_SETTINGS.filter((name) => !mayChange(name) && project[name] !== null).map(
    (name): [string, string] => [SETTINGS[name].field[0], limitText(project, name, usage)],
  );
  return (
    <>
      {facts.length > 0 && <Facts facts={facts} />}
      {shown.length > 0 && (
        <Form to={`${projectPath(project.slug)}/settings`} class="stack" id="project-form">
          <Hidden
            values={shown.map((name) => [
              beforeName(name),
              typed ? textOf(typed.fields, beforeName(name)) : settingText(project, name),
            ])}
          />
          <div class="columns">
            {shown.map((name) => {
              const [label, hint] = SETTINGS[name].field;
              const used = usage && SETTINGS[name].used?.(usage);
              return (
                <TextField
                  id={`project-${name}`}
                  name={name}
                  label={label}
                  hint={used ? `${hint} ${used}.` : hint}
                  value={typed ? textOf(typed.fields, name) : settingText(project, name)}
                  error={typed?.faults[name]}
                  maxlength={name === "name" ? 200 : 500}
                  required={name === "name"}
                />
              );
            })}
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
  const text = settingText(project, name);
  return used ? `at most ${text}; ${used}` : text;
}
