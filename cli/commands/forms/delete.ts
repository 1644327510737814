import type { Command } from "commander";
import type { Form } from "../../../src/forms/form.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addDeleteCommand(forms: Command, io: Io): void {
  forms
    .command("delete")
    .argument("[form]", "slug or key of the form")
    .description("delete a form, its submissions and their files")
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "form");
}

async function run({ client, confirmDelete, report }: Session, name: string): Promise<void> {
  const { slug } = await client.call<Form>("GET", path`/forms/${name}`);
  await confirmDelete("form", slug, " with all its submissions and files");
  await client.call("DELETE", path`/forms/${slug}`);
  await report({ slug, result: "deleted" }, shown`deleted form ${slug}\n`);
}
