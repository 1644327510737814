import type { Command } from "commander";
import type { FormPatch } from "../../../src/forms/form.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { usage } from "../../session/usage.ts";
import { patchForm } from "./patch.ts";
import { onOff } from "./settings.ts";

export function addUploadsCommand(forms: Command, io: Io): void {
  forms
    .command("uploads")
    .argument("[form]", "slug or key of the form")
    .argument("[on|off]", "whether it accepts files")
    .description("accept files with submissions, or refuse them")
    .addHelpText("after", "\nExample:\n  formflag forms uploads jobs on\n")
    .action(action(io, parse, patchForm));
}

async function parse(
  input: Input,
  given?: string,
  state?: string,
): Promise<{ name: string; patch: FormPatch }> {
  const name = await input.need(given, "form");
  if (state === undefined) throw usage("say on or off", `formflag forms uploads ${name} on`);
  return { name, patch: { uploads: onOff(state) } };
}
