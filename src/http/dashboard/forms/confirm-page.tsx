import { sentence } from "../error-page.tsx";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { formPath } from "../paths.ts";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonLink, Form } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";

/** The page that asks for the name of a form before settings are saved that delete submissions: `message` says which. */
export function confirmPage(slug: string, fields: Fields, message: string): Page {
  const settings = `${formPath(slug)}/settings`;
  const values = [...fields].flatMap(([name, value]): [string, string][] =>
    name === "confirm" || typeof value !== "string" ? [] : [[name, value]],
  );
  const typed = textOf(fields, "confirm");
  return {
    title: `Confirm the settings of form ${slug}`,
    heading: "Save the settings?",
    section: "forms",
    status: 428,
    back: { to: settings, label: "Settings" },
    content: (
      <Form to={settings} values={values} class="stack narrow" id="confirmation">
        <Notice tone="bad">
          <p>{sentence(message)}</p>
          <p>m stands for minutes: a month is written 30d.</p>
        </Notice>
        <TextField
          id="confirm-form"
          name="confirm"
          label={`Type ${slug} to confirm`}
          error={typed === "" ? null : "That is not the name of the form. Nothing has changed."}
          required
          autofocus
        />
        <p class="buttons">
          <Button kind="danger">Save the settings</Button>
          <ButtonLink to={settings} kind="quiet">
            Back
          </ButtonLink>
        </p>
      </Form>
    ),
  };
}
