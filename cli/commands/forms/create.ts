import { Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { FormName } from "../../../src/forms/form-name.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import { shown } from "../../output/text.ts";
import { BEGINS } from "../../session/action.ts";
import { create, ifNotExistsOption } from "../../session/create.ts";
import { noteWarnings } from "../../session/hints.ts";
import { describeForm, describeSecrets, noteEmptySchema, served, withUrl } from "./describe.ts";
import { settingOptions, settingsOf } from "./settings.ts";
import { verb } from "../../session/verb.ts";

export const addCreateCommand = verb("create", {
  argument: ["[form]", "slug of the new form"],
  description: "create a form and the key in its address",
  options: [
    new Option(
      "-p, --project <project>",
      "project of the form (default: the only project, or of several the one called default)",
    ).env("FORMFLAG_PROJECT"),
    ifNotExistsOption("the form"),
    "field",
    "why",
    ...settingOptions(),
  ],
  help: `
Examples:
  formflag forms create contact
  formflag forms create jobs --uploads on --max-file-size 10MB --success-url https://example.com/thanks
  formflag forms create prize --closes-at 2027-01-31T12:00:00Z --max-submissions 500
`,
  ...BEGINS,
  parse: async (input, given) => {
    const slug = await input.need(given, "form", true);
    const project = input.givenProject();
    const settings = await settingsOf(input);
    const existing = input.options["ifNotExists"] === true ? await input.form(slug) : null;
    return { form: { slug, project, ...settings }, existing };
  },
  run: async (session, values) => {
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
    await report(form, describeForm(shownForm) + describeSecrets(form));
    noteEmptySchema(note, slug, wanted);
    noteWarnings(session.note, form);
    const place = project === undefined ? "" : shown` -p ${project}`;
    suggest(
      shown`\nNext: let a page post to ${shownForm.url}, then: formflag submissions list ${slug}` + place,
    );
  },
});

export const addCopyCommand = verb("copy", {
  argument: ["[form]", "slug or key of the form"],
  second: ["[new]", "slug of the new form"],
  description: "create a form with the settings and fields of another one",
  options: [
    ["--name <name>", "name for people (default: the slug)"],
    ["--to <project>", "project of the new form (default: that of the form)"],
    "project of forms",
    "field",
    "why",
  ],
  help: `
The new form has a key of its own, and no submissions, targets and feeds.

Examples:
  formflag forms copy contact contact-de --name Kontakt
  formflag forms copy contact contact -p blog --to shop
`,
  ...BEGINS,
  parse: async (input, given, slug) => {
    const form = await input.form(await input.need(given, "form"));
    const { name, to: project } = input.options as { name?: string; to?: string };
    return { form, copy: { slug: await input.need(slug, "new"), name, project } };
  },
  run: async ({ client, config, note, report }, { form: name, copy }) => {
    const form = withUrl(config, await client.call(operations.copy, { names: { form: name }, body: copy }));
    await report(form, describeForm(await served(config, form)) + describeSecrets(form));
    noteWarnings(note, form);
  },
});

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  }
}
