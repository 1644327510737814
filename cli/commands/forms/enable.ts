import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { patchForm } from "./patch.ts";

export function addEnableCommand(forms: Command, io: Io): void {
  forms
    .command("enable")
    .argument("[form]", "slug or key of the form")
    .description("accept submissions again")
    .action(action(io, (input, given) => parse(input, given, true), patchForm));
}

export function addDisableCommand(forms: Command, io: Io): void {
  forms
    .command("disable")
    .argument("[form]", "slug or key of the form")
    .description("refuse submissions; those stored stay")
    .action(action(io, (input, given) => parse(input, given, false), patchForm));
}

async function parse(input: Input, given: string | undefined, enabled: boolean) {
  return { name: await input.need(given, "form"), patch: { enabled } };
}
