import type { Command } from "commander";
import { forms as operations } from "../../../src/operations/forms.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { formProjectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { noteWarnings } from "../../session/hints.ts";
import { named } from "../verbs.ts";

export function addTestCommand(forms: Command, io: Io): void {
  forms
    .command("test")
    .argument("[form]", "slug or key of the form")
    .description("store a test submission and send it to the targets and addresses of the form")
    .addOption(formProjectOption())
    .addHelpText(
      "after",
      `
The submission has one field, message. It is not checked against the schema or for spam. The server sends it; deliveries
list --submission shows the answers.

Example:
  formflag forms test contact
`,
    )
    .action(action(io, named("form"), test));
}

async function test(session: Session, form: string): Promise<void> {
  const { client, report } = session;
  const submission = await client.call(operations.test, { names: { form } });
  await report(submission, shown`stored the test as submission ${submission.id}\n`);
  noteWarnings(session.note, submission);
}
