import { type Command, Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { FormName } from "../../../src/forms/form-name.ts";
import type { FormPatch } from "../../../src/forms/form.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { BEGINS, action } from "../../session/action.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { noteWarnings } from "../../session/hints.ts";
import { whyOption } from "../../session/change-options.ts";
import { describeForm, noteEmptySchema, served, withUrl } from "./describe.ts";
import { settingsOf, withSettings } from "./settings.ts";

export function addCreateCommand(forms: Command, io: Io): void {
  withSettings(
    forms
      .command("create")
      .argument("[form]", "slug of the new form")
      .description("create a form and the key in its address")
      .withOptions(newFormProjectOption(), ifNotExistsOption("the form"), fieldOption())
      .addOption(whyOption()),
  )
    .after(`
Examples:
  formflag forms create contact
  formflag forms create jobs --uploads on --max-file-size 10MB --success-url https://example.com/thanks
  formflag forms create prize --closes-at 2027-01-31T12:00:00Z --max-submissions 500
`)
    .action(action(io, readNewForm, createForm, BEGINS));
}

function newFormProjectOption(): Option {
  return new Option(
    "-p, --project <project>",
    "project of the form (default: the only project, or of several the one called default)",
  ).env("FORMFLAG_PROJECT");
}

type NewForm = {
  form: FormPatch & { slug: string; project: string | undefined };
  /** The name under which a form that exists is looked for; null where it must not exist. */
  existing: FormName | null;
};

async function readNewForm(input: Input, given?: string): Promise<NewForm> {
  const slug = await input.need(given, "form");
  const project = input.givenProject();
  const settings = await settingsOf(input);
  const existing = input.options["ifNotExists"] === true ? await input.form(slug) : null;
  return { form: { slug, project, ...settings }, existing };
}

async function createForm(session: Session, values: NewForm): Promise<void> {
  const { client, config, report, note, suggest } = session;
  const { existing, form: wanted } = values;
  const { slug, project } = wanted;
  const make = () => client.call(operations.create, { body: wanted });
  const find = (form: FormName) => client.call(operations.get, { names: { form } });
  // FORMFLAG_PROJECT, which is for flags too, does not make another form of a name that exists elsewhere.
  const isElsewhere = existing !== null && project !== undefined && existing === slug;
  const found = isElsewhere ? await unlessMissing(find(existing)) : null;
  const created = found
    ? { ...found, result: "unchanged" as const }
    : await create(make, existing === null ? null : () => find(existing));
  const form = withUrl(config, created);
  const shownForm = await served(config, form);
  await report(form, describeForm(shownForm));
  noteEmptySchema(note, slug, wanted);
  noteWarnings(session.note, form);
  const place = project === undefined ? "" : shown` -p ${project}`;
  suggest(
    shown`\nNext: let a page post to ${shownForm.url}, then: formflag submissions list ${slug}` + place,
  );
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}
