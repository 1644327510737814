import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { usage } from "../../session/usage.ts";
import { patchForm } from "./patch.ts";
import { settingsOf, withSettings } from "./settings.ts";

export function addSetCommand(forms: Command, io: Io): void {
  withSettings(
    forms
      .command("set")
      .argument("[form]", "slug or key of the form")
      .description("change the settings of a form"),
  )
    .addHelpText(
      "after",
      `
Examples:
  formflag forms set contact --success-url https://example.com/thanks --error-url https://example.com/oops
  formflag forms set contact --allow-origin https://example.com https://www.example.com
  formflag forms set contact --max-file-size 10MB --max-files 3
  formflag forms set contact --rate-limit 20/h --block-sender 203.0.113.0/24
  formflag forms set contact --allow-type .pdf 'image/*' --opens-at 2027-01-01 --closes-at 2027-01-31T12:00:00Z
  formflag forms set contact --spam-word viagra 'crypto*' --spam-email '*@spam.example' --spam-links 2
  formflag forms set contact --spam-disposable on --honeypot website --duplicates 60s --challenge on
  formflag forms set contact --schema @contact.schema.json
  formflag forms set contact --schema none --spam-word none --closes-at none --spam default
`,
    )
    .action(action(io, parse, patchForm));
}

async function parse(input: Input, given?: string): Promise<{ name: string; patch: FormPatch }> {
  const name = await input.need(given, "form");
  const patch = await settingsOf(input);
  if (Object.keys(patch).length === 0)
    throw usage("nothing to change", "formflag forms set --help shows the settings");
  return { name, patch };
}
