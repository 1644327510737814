import { AppError } from "../../../base/errors.ts";
import { showKind } from "../../../base/kinds/kinds.ts";
import { shortName } from "../../../access/place.ts";
import type { Form } from "../../../forms/form.ts";
import type { Group } from "../../../forms/settings/setting.ts";
import { SETTINGS, type SettingName, inOrder } from "../../../forms/settings/settings.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { SettingFields, changedIn } from "../parts/kind-field.tsx";
import type { Typed } from "../parts/submit.ts";
import { Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { FormTabs } from "./form-tabs.tsx";
import { namedForm } from "./form-words.ts";
import { formPath } from "../paths.ts";

const TITLES: Record<Group, string> = {
  after: "After a submission",
  senders: "Who may send",
  files: "Files",
  spam: "Spam",
  mail: "Mail",
  kept: "What is kept",
  schema: "Schema",
};

/** The groups of settings, in the order of the page. */
const GROUPS = Object.entries(TITLES).map(([id, title]) => ({
  id,
  title,
  names: inOrder("field").filter((name) => SETTINGS[name].field![0] === id),
}));

/** The settings that the form of a group changed, as {@link changedIn}. Throws `invalid`. */
export function settingsIn(fields: Fields, timeZone: string) {
  const names = GROUPS.find(({ id }) => id === textOf(fields, "group"))?.names;
  if (!names) throw new AppError("invalid", "the form names no settings: load the page again");
  const kinds = names.map((name) => [name, SETTINGS[name].kind] as const);
  return changedIn(kinds, fields, timeZone);
}

/** The settings of a form, a form of the page for each group. */
export function settingsPage(form: Form, timeZone: string, sent?: Typed): Page {
  const to = formPath(shortName(form));
  const settingOf = (name: SettingName) => {
    const { kind, field, default: unset } = SETTINGS[name];
    const [, label, hint] = field!;
    return { name, kind, label, hint, mayLack: unset === null, text: showKind(kind, form[name], timeZone) };
  };
  return {
    title: `Settings of form ${form.slug}`,
    section: "forms",
    back: { to, label: form.slug },
    commands: [
      ["Show the settings", "forms get", ...namedForm(form)],
      ["Change one", "forms set", form.slug, { ...namedForm(form)[1], "rate-limit": "20/h" }],
      ["Keep them in a file", "export > formflag.yaml\nformflag apply -f formflag.yaml"],
    ],
    content: (
      <>
        <FormTabs form={form} current="Settings" />
        {GROUPS.map(({ id, title, names }) => {
          const failed = sent && textOf(sent.fields, "group") === id ? sent : undefined;
          return (
            <PostForm
              to={`${to}/settings`}
              values={{ group: id }}
              class="card"
              id={`settings-${id}`}
              label={title}
            >
              <h2>{title}</h2>
              {id === "schema" && (
                <p>
                  <ButtonLink to={`${to}/fields`}>Edit the fields as rows</ButtonLink>
                </p>
              )}
              {failed?.faults[""] && (
                <Notice tone="bad">
                  <p>{failed.faults[""]}</p>
                </Notice>
              )}
              <SettingFields settings={names.map(settingOf)} sent={failed} timeZone={timeZone} />
              <div class="buttons">
                <Button kind="primary" label={`Save: ${title}`}>
                  Save
                </Button>
              </div>
            </PostForm>
          );
        })}
      </>
    ),
  };
}
