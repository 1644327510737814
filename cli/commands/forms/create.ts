import type { Command } from "commander";
import type { Form, FormPatch } from "../../../src/forms/form.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeForm, withUrl } from "./describe.ts";
import { settingsOf, withSettings } from "./settings.ts";

export function addCreateCommand(forms: Command, io: Io): void {
  withSettings(
    forms
      .command("create")
      .argument("[form]", "slug of the new form")
      .description("create a form and the key in its address")
      .addOption(ifNotExistsOption("the form"))
      .addOption(fieldOption()),
  )
    .option("--uploads <on|off>", "accept files (default: off)")
    .addHelpText(
      "after",
      `
Examples:
  formflag forms create contact
  formflag forms create jobs --uploads on --max-file-size 10MB --success-url https://example.com/thanks
  formflag forms create prize --closes-at 2027-01-31T12:00:00Z --max-submissions 500
`,
    )
    .action(action(io, parse, run, BEGINS));
}

type Values = { form: FormPatch & { slug: string }; ifNotExists: boolean };

async function parse(input: Input, given?: string): Promise<Values> {
  const slug = await input.need(given, "form");
  const ifNotExists = input.options["ifNotExists"] === true;
  return { form: { slug, ...(await settingsOf(input)) }, ifNotExists };
}

async function run({ client, config, report, suggest }: Session, values: Values): Promise<void> {
  const { slug } = values.form;
  const find = () => client.call<Form>("GET", path`/forms/${slug}`);
  const created = await create(client, "/forms", values.form, values.ifNotExists ? find : null);
  const form = withUrl(config, created);
  await report(form, describeForm(form));
  suggest(shown`\nNext: let a page post to ${form.url}, then: formflag submissions list ${slug}`);
}
