import { shortName } from "../../../access/place.ts";
import type { Form } from "../../../forms/form.ts";
import { SETTINGS, type SettingName } from "../../../forms/settings/settings.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { KindField } from "../parts/kind-field.tsx";
import { Button, ButtonLink, Form as PostForm, Hidden } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import type { Faults } from "../parts/submit.ts";
import { GROUPS, beforeName, settingText } from "./setting-fields.ts";
import { FormTabs } from "./form-tabs.tsx";
import { namedForm } from "./form-words.ts";
import { formPath } from "../paths.ts";

/** Submitted values of one group, with their errors; that of no field is the one of the group. */
type Sent = { fields: Fields; errors: Faults };

/** The settings of a form, a form of the page for each group. */
export function settingsPage(form: Form, timeZone: string, sent?: Sent): Page {
  const to = formPath(shortName(form));
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
              {failed?.errors[""] && (
                <Notice tone="bad">
                  <p>{failed.errors[""]}</p>
                </Notice>
              )}
              <Hidden
                values={names.map((name) => {
                  const before = beforeName(name);
                  const isSent = failed?.fields.has(before);
                  return [
                    before,
                    isSent ? textOf(failed!.fields, before) : settingText(form, name, timeZone),
                  ];
                })}
              />
              <div class="columns">
                {names.map((name) => (
                  <SettingField name={name} form={form} timeZone={timeZone} failed={failed} />
                ))}
              </div>
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

function SettingField({
  name,
  form,
  timeZone,
  failed,
}: {
  name: SettingName;
  form: Form;
  timeZone: string;
  failed: Sent | undefined;
}) {
  const { kind, field } = SETTINGS[name];
  const [, label, hint] = field!;
  const value = failed ? textOf(failed.fields, name) : settingText(form, name, timeZone);
  const error = failed?.errors[name];
  const common = { name, label, hint, error: error && sentence(error) };
  return (
    <KindField
      {...common}
      kind={kind}
      value={value}
      mayLack={SETTINGS[name].default === null}
      timeZone={timeZone}
    />
  );
}
