import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { describeForm, noteEmptySchema, withUrl } from "./describe.ts";
import { settingsOf, withSettings } from "./settings.ts";

export function addCreateCommand(forms: Command, io: Io): void {
  withSettings(
    forms
      .command("create")
      .argument("[form]", "slug of the new form")
      .description("create a form and the key in its address")
      .addOption(ifNotExistsOption("the form"))
      .addOption(fieldOption())
      .addOption(whyOption()),
  )
    .addHelpText(
      "after",
      `
Examples:
  formflag forms create contact
  formflag forms create jobs --uploads on --max-file-size 10MB --success-url https://example.com/thanks
  formflag forms create prize --closes-at 2027-01-31T12:00:00Z --max-submissions 500
`,
    )
    .action(action(io, readNewForm, createForm, BEGINS));
}

type NewForm = { form: FormPatch & { slug: string }; ifNotExists: boolean };

async function readNewForm(input: Input, given?: string): Promise<NewForm> {
  const slug = await input.need(given, "form");
  const ifNotExists = input.options["ifNotExists"] === true;
  return { form: { slug, ...(await settingsOf(input)) }, ifNotExists };
}

async function createForm(session: Session, values: NewForm): Promise<void> {
  const { client, config, report, note, suggest } = session;
  const { slug } = values.form;
  const make = () => client.call(operations.create, { body: values.form });
  const find = () => client.call(operations.get, { names: { form: slug } });
  const created = await create(make, values.ifNotExists ? find : null);
  const form = withUrl(config, created);
  await report(form, describeForm(form));
  noteEmptySchema(note, slug, values.form);
  suggest(shown`\nNext: let a page post to ${form.url}, then: formflag submissions list ${slug}`);
}
