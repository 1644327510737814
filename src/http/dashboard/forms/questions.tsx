import { shortName } from "../../../access/place.ts";
import type { Form } from "../../../forms/form.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { parseFormName } from "../../../forms/form-name.ts";
import { namedForm } from "./form-words.ts";
import { formflag } from "../parts/commands.tsx";
import { Danger, WordField } from "../parts/danger.tsx";
import { Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { formPath, inboxPath } from "../paths.ts";

/** The page that deletes a form once its name is typed. */
export function deletePage(form: Form, fault?: string): Page {
  const { slug } = form;
  const name = shortName(form);
  return {
    title: `Delete form ${slug}`,
    section: "forms",
    back: { to: formPath(name), label: slug },
    commands: [{ label: "The same", text: formflag("forms delete", ...namedForm(form), { yes: true }) }],
    content: (
      <PostForm to={`${formPath(name)}/delete`} class="stack narrow card" id="delete-form">
        <Notice tone="bad" title={`This deletes ${slug} with all its submissions and files.`}>
          <p>Pages that post to it get an error from then on. An export is the last chance to keep them.</p>
        </Notice>
        <WordField name="name" word={slug} fault={fault} />
        <div class="buttons">
          <Button kind="danger primary" icon="trash">
            {`Delete ${slug}`}
          </Button>
          <ButtonLink to={`${inboxPath(name)}/export`} icon="download">
            Export first
          </ButtonLink>
        </div>
      </PostForm>
    ),
  };
}

/** The page that asks for the name of a form before settings are saved that delete submissions: `message` says which. */
export function confirmPage(name: string, fields: Fields, message: string): Page {
  const { slugOrKey: slug } = parseFormName(name);
  const settings = `${formPath(name)}/settings`;
  const values = [...fields].flatMap(([name, value]): [string, string][] =>
    name === "confirm" || typeof value !== "string" ? [] : [[name, value]],
  );
  const isTyped = textOf(fields, "confirm") !== "";
  const fault = isTyped ? "That is not the name of the form. Nothing has changed." : null;
  return {
    title: `Confirm the settings of form ${slug}`,
    heading: "Save the settings?",
    section: "forms",
    status: 428,
    back: { to: settings, label: "Settings" },
    content: (
      <Danger
        to={settings}
        values={values}
        class="stack narrow"
        id="confirmation"
        words={[{ name: "confirm", word: slug, id: "confirm-form", fault, autofocus: true }]}
        act="Save the settings"
        back={{ to: settings }}
      >
        <Notice tone="bad">
          <p>{sentence(message)}</p>
          <p>m stands for minutes: a month is written 30d.</p>
        </Notice>
      </Danger>
    ),
  };
}
