import type { Form } from "../../../forms/form.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { quoted } from "../parts/commands.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Button, Form as PostForm, Hidden } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { type SettingErrors, beforeName, settingText } from "./setting-fields.ts";
import { SETTINGS, type Setting } from "./form-settings.ts";
import { formPath } from "../parts/form-path.ts";

/** What was sent for one group, and what was wrong with it. */
type Sent = { group: string; fields: Fields; errors: SettingErrors; message: string | null };

/** The settings of a form, a form of the page for each group. */
export function settingsPage(form: Form, timeZone: string, sent?: Sent): Page {
  const to = formPath(form.slug);
  const slug = quoted(form.slug);
  return {
    title: `Settings of form ${form.slug}`,
    section: "forms",
    back: { to, label: form.slug },
    commands: [
      { label: "Show the settings", text: `formflag forms get ${slug}` },
      { label: "Change one", text: `formflag forms set ${slug} --rate-limit 20/h` },
      {
        label: "Keep them in a file",
        text: "formflag export > formflag.yaml\nformflag apply -f formflag.yaml",
      },
    ],
    content: (
      <>
        {SETTINGS.map(({ id, title, settings }) => {
          const failed = sent?.group === id ? sent : undefined;
          return (
            <PostForm
              to={`${to}/settings`}
              values={{ group: id }}
              class="card"
              id={`settings-${id}`}
              label={title}
            >
              <h2>{title}</h2>
              {failed?.message && (
                <Notice tone="bad">
                  <p>{sentence(failed.message)}</p>
                </Notice>
              )}
              <Hidden
                values={settings.map((setting) => {
                  const name = beforeName(setting);
                  const isSent = failed?.fields.has(name);
                  return [name, isSent ? textOf(failed!.fields, name) : settingText(form, setting, timeZone)];
                })}
              />
              <div class="columns">
                {settings.map((setting) => (
                  <SettingField setting={setting} form={form} timeZone={timeZone} failed={failed} />
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
  setting,
  form,
  timeZone,
  failed,
}: {
  setting: Setting;
  form: Form;
  timeZone: string;
  failed: Sent | undefined;
}) {
  const { name, label, hint, kind } = setting;
  const value = failed ? textOf(failed.fields, name) : settingText(form, setting, timeZone);
  const error = failed?.errors[name];
  const common = { name, label, ...(hint && { hint }), error: error && sentence(error) };
  switch (kind) {
    case "switch":
      return <CheckField {...common} checked={value === "on"} />;
    case "choice":
      return <SelectField {...common} value={value} options={setting.choices} />;
    case "lines":
      return <AreaField {...common} value={value} rows={3} />;
    case "area":
      return <AreaField {...common} value={value} rows={4} />;
    case "json":
      return <AreaField {...common} value={value} rows={10} code />;
    case "time":
      return (
        <TextField {...common} hint={`In ${timeZone}; empty for none`} type="datetime-local" value={value} />
      );
    case "text":
    case "count":
    case "size":
    case "duration":
    case "rate":
      return <TextField {...common} value={value} />;
    default:
      return kind satisfies never;
  }
}
