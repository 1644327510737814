import { clock } from "../../../src/base/clock.ts";
import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import { openingOf } from "../../../src/forms/intake/opening.ts";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { switchValue } from "../../session/values.ts";
import { noteWarnings } from "../../session/hints.ts";
import { describeSecrets, describeSettings, noteEmptySchema, withUrl } from "./describe.ts";
import { verb } from "../../session/verb.ts";
import { settingOptions, settingsOf } from "./settings.ts";

/** Adds the verbs that change settings of a form. */
/** `set`, `uploads`, `enable` and `disable`. */
export function addSetCommands(forms: Command, io: Io): void {
  for (const add of SETTERS) add(forms, io);
}

const FORM = {
  argument: ["[form]", "slug or key of the form"],
  options: ["project of forms", "why"],
  run: patchForm,
} as const;

const SETTERS = [
  verb("set", {
    ...FORM,
    description: "change the settings of a form",
    options: [...FORM.options, ...settingOptions()],
    help: `
Examples:
  formflag forms set contact --success-url https://example.com/thanks --error-url https://example.com/oops
  formflag forms set contact --allow-origin https://example.com,https://www.example.com
  formflag forms set contact --uploads on --max-file-size 10MB --max-files 3
  formflag forms set contact --rate-limit 20/h --block-sender 203.0.113.0/24
  formflag forms set contact --allow-type .pdf 'image/*' --opens-at 2027-01-01 --closes-at 2027-01-31T12:00:00Z
  formflag forms set contact --spam-word viagra 'crypto*' --spam-email '*@spam.example' --spam-links 2
  formflag forms set contact --spam-disposable on --honeypot website --duplicates 60s --challenge on
  formflag forms set contact --check https://check.example.com/contact --check-failing spam
  formflag forms set contact --schema @contact.schema.json
  formflag forms set contact --open-when shop/production/contact-open
  formflag forms set contact --schema none --spam-word none --closes-at none --spam default
`,
    parse: readSettings,
  }),
  verb("uploads", {
    ...FORM,
    second: ["[on|off]", "whether it accepts files"],
    description: "accept files with submissions, or refuse them",
    help: "\nExample:\n  formflag forms uploads jobs on\n",
    parse: readUploads,
  }),
  verb("enable", {
    ...FORM,
    description: "accept submissions again",
    parse: async (input, given) => ({ name: await input.form(given), patch: { enabled: true } }),
  }),
  verb("disable", {
    ...FORM,
    description: "refuse new submissions, and keep the stored ones",
    parse: async (input, given) => ({ name: await input.form(given), patch: { enabled: false } }),
  }),
];

type Change = { name: string; patch: FormPatch };

async function readSettings(input: Input, given?: string): Promise<Change> {
  const name = await input.need(given, "form");
  const patch = await settingsOf(input);
  if (Object.keys(patch).length === 0)
    throw usage("nothing to change", "formflag forms set --help shows the settings");
  return { name: await input.form(name), patch };
}

async function readUploads(input: Input, given?: string, state?: string): Promise<Change> {
  const name = await input.need(given, "form");
  if (state === undefined) throw usage("say on or off", `formflag forms uploads ${name} on`);
  if (["on", "off"].includes(name) && !["on", "off"].includes(state))
    throw usage(
      `uploads is on or off, not ${state}`,
      `the form comes first: formflag forms uploads ${state} ${name}`,
    );
  return { name: await input.form(name), patch: { uploads: switchValue(state, "uploads") } };
}

/** Changes settings of a form, by its name, and reports the form. */
async function patchForm(session: Session, { name, patch }: Change): Promise<void> {
  const { client, config, report, note } = session;
  const answer = await client.call(operations.set, { names: { form: name }, body: patch });
  const form = withUrl(config, answer);
  await report(
    form,
    shown`${form.result} form ${form.slug}\n` + describeSettings(form, patch) + describeSecrets(form),
  );
  const isOfFiles = ["maxFileSize", "maxFiles", "allowedTypes"].some((name) => Object.hasOwn(patch, name));
  if (isOfFiles && !form.uploads)
    note(
      shown`${form.slug} accepts no files; to change that: formflag forms set ${form.slug} --uploads on\n`,
    );
  noteEmptySchema(note, form.slug, patch);
  noteWarnings(session.note, form);
  const isOpened = patch.enabled === true || patch.closesAt !== undefined;
  if (isOpened && openingOf({ ...DEFAULT_SETTINGS, ...form }, clock.now()) === "late")
    note(
      shown`${form.slug} takes no submissions since ${form.closesAt!}; to change that: formflag forms set ${form.slug} --closes-at none\n`,
    );
}
