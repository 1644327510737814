import type { Project, Usage } from "../../../projects/project.ts";
import {
  PROJECT_SETTINGS,
  SETTINGS,
  type SettingName,
  settingText,
} from "../../../projects/project-settings.ts";
import type { Fields } from "../fields.ts";
import { Facts } from "../parts/card.tsx";
import { SettingFields, changedIn } from "../parts/kind-field.tsx";
import type { Typed } from "../parts/submit.ts";
import { Button, Form } from "../parts/link.tsx";
import { projectPath } from "../paths.ts";
import { useMay } from "../view.ts";

/** The settings that a form changes, as {@link changedIn}; others stay, which may have changed since. */
export function projectPatchIn(fields: Fields) {
  const names = PROJECT_SETTINGS.filter((name) => fields.has(name));
  return changedIn(
    names.map((name) => [name, SETTINGS[name].kind] as const),
    fields,
  );
}

/** The settings of a project: fields for those that the person may change, and the others as facts. */
export function ProjectForm({
  project,
  usage,
  typed,
}: {
  project: Project;
  usage: Usage | null;
  typed: Typed | undefined;
}) {
  const [isAdmin, isOfEverything] = [useMay("admin"), useMay("admin", {})];
  const mayChange = (name: SettingName) => (SETTINGS[name].isOfInstance ? isOfEverything : isAdmin);
  const shown = PROJECT_SETTINGS.filter(mayChange);
  const facts = PROJECT_SETTINGS.filter((name) => !mayChange(name) && project[name] !== null).map(
    (name): [string, string] => [SETTINGS[name].label, limitText(project, name, usage)],
  );
  const settingOf = (name: SettingName) => {
    const { kind, label, hint = "", required = false, used } = SETTINGS[name];
    const usedText = usage && used?.(usage);
    return {
      name,
      kind,
      label,
      hint: usedText ? `${hint} ${usedText}.` : hint,
      text: settingText(project, name),
      id: `project-${name}`,
      required,
    };
  };
  return (
    <>
      {facts.length > 0 && <Facts facts={facts} />}
      {shown.length > 0 && (
        <Form to={`${projectPath(project.slug)}/settings`} class="stack" id="project-form">
          <SettingFields settings={shown.map(settingOf)} sent={typed} />
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
