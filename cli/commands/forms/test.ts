import type { Command } from "commander";
import type { Submission } from "../../../src/forms/submission.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addTestCommand(forms: Command, io: Io): void {
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
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "form");
}

async function run({ client, report }: Session, form: string): Promise<void> {
  const submission = await client.call<Submission>("POST", path`/forms/${form}/test`);
  await report(submission, shown`stored the test as submission ${submission.id}\n`);
}
