import type { Command } from "commander";
import type { Form } from "../../../src/forms/form.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { describeForm, withUrl } from "./describe.ts";

export function addGetCommand(forms: Command, io: Io): void {
  forms
    .command("get")
    .argument("[form]", "slug or key of the form")
    .description("show a form, its key and its settings")
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "form");
}

async function run({ client, config, print }: Session, name: string): Promise<void> {
  const form = withUrl(config, await client.call<Form>("GET", path`/forms/${name}`));
  await print(form, describeForm(form));
}
