import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import { stateOf } from "../../../src/forms/intake/opening.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown, table } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { describeForm, uploadsOf, withUrl } from "./describe.ts";
import { addSetCommands } from "./set.ts";
import { settingsOf, withSettings } from "./settings.ts";
import { addSnippetCommand } from "./snippet.ts";

export function addFormCommands(forms: Command, io: Io): void {
  forms.addHelpText(
    "after",
    `\nExamples:
  formflag forms create contact
  formflag forms uploads contact on
  formflag forms set contact --success-url https://example.com/thanks
`,
  );
  addCreateCommand(forms, io);
  addSetCommands(forms, io);
  forms
    .command("list")
    .alias("ls")
    .description("list forms by name")
    .addOption(fieldOption())
    .action(action(io, () => {}, list));
  forms
    .command("get")
    .argument("[form]", "slug or key of the form")
    .description("show a form, its key and its settings")
    .addOption(fieldOption())
    .action(action(io, readName, get));
  addSnippetCommand(forms, io);
  addTestCommand(forms, io);
  forms
    .command("delete")
    .argument("[form]", "slug or key of the form")
    .description("delete a form, its submissions and their files")
    .action(action(io, readName, remove));
}

async function readName(input: Input, given?: string): Promise<string> {
  return input.need(given, "form");
}

async function get({ client, config, print }: Session, name: string): Promise<void> {
  const form = withUrl(config, await client.call(operations.get, { names: { form: name } }));
  await print(form, describeForm(form));
}

async function list({ client, config, print, suggest }: Session): Promise<void> {
  const listed = await listAll(client, operations.list);
  const all = listed.map((form) => withUrl(config, form));
  const rows = all.map((form) => [
    form.slug,
    form.name,
    form.key,
    stateOf({ ...DEFAULT_SETTINGS, ...form }, Date.now()),
    uploadsOf(form),
    form.url,
  ]);
  await print(all, table(["FORM", "NAME", "KEY", "STATE", "FILES", "ADDRESS"], rows));
  if (all.length === 0) suggest("No forms yet. Next: formflag forms create <form>");
}

async function remove({ client, confirmDelete, report }: Session, name: string): Promise<void> {
  const { slug } = await client.call(operations.get, { names: { form: name } });
  await confirmDelete("form", slug, " with all its submissions and files");
  await client.call(operations.delete, { names: { form: slug } });
  await report({ slug, result: "deleted" }, shown`deleted form ${slug}\n`);
}

function addCreateCommand(forms: Command, io: Io): void {
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
    .action(action(io, readNewForm, createForm, BEGINS));
}

type NewForm = { form: FormPatch & { slug: string }; ifNotExists: boolean };

async function readNewForm(input: Input, given?: string): Promise<NewForm> {
  const slug = await readName(input, given);
  const ifNotExists = input.options["ifNotExists"] === true;
  return { form: { slug, ...(await settingsOf(input)) }, ifNotExists };
}

async function createForm({ client, config, report, suggest }: Session, values: NewForm): Promise<void> {
  const { slug } = values.form;
  const make = () => client.call(operations.create, { body: values.form });
  const find = () => client.call(operations.get, { names: { form: slug } });
  const created = await create(make, values.ifNotExists ? find : null);
  const form = withUrl(config, created);
  await report(form, describeForm(form));
  suggest(shown`\nNext: let a page post to ${form.url}, then: formflag submissions list ${slug}`);
}

function addTestCommand(forms: Command, io: Io): void {
  forms
    .command("test")
    .argument("[form]", "slug or key of the form")
    .description("store a test submission and send it to the targets and addresses of the form")
    .addHelpText(
      "after",
      `
It has one field, message, and is not checked: neither by the schema of the form nor for spam. A server sends it;
deliveries list --submission shows how it was answered.

Example:
  formflag forms test contact
`,
    )
    .action(action(io, readName, test));
}

async function test({ client, report }: Session, form: string): Promise<void> {
  const submission = await client.call(operations.test, { names: { form } });
  await report(submission, shown`stored the test as submission ${submission.id}\n`);
}
