import type { Command } from "commander";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { details, shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";

export function addAddCommand(targets: Command, io: Io): void {
  targets
    .command("add")
    .argument("[form]", "slug or key of the form")
    .argument("[target]", "URL of a webhook, or a chat service and its URL; - reads it from standard input")
    .description("send the submissions of a form to a webhook or a chat service")
    .addOption(fieldOption())
    .addHelpText(
      "after",
      `
A URL usually contains a secret, and other users of the machine can see the arguments of a command: write - and
give the URL on standard input.

The secret of a webhook is printed this one time only. Its receiver verifies with it that a request comes from
formflag. Chat services have none.

Examples:
  formflag targets add contact https://example.com/hooks/contact
  formflag targets add contact - < url.txt
  formflag targets add contact slack:https://hooks.slack.com/services/T0/B0/KEY
  formflag targets add contact discord:https://discord.com/api/webhooks/ID/TOKEN
  formflag targets add contact 'telegram:https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID'
  formflag targets add contact ntfy:https://ntfy.sh/TOPIC
  formflag targets add contact 'gotify:https://gotify.example.com/message?token=TOKEN'
`,
    )
    .action(action(io, parse, run));
}

type Values = { form: string; target: string };

async function parse(input: Input, givenForm?: string, givenTarget?: string): Promise<Values> {
  const form = await input.need(givenForm, "form");
  const target = await input.need(givenTarget, "target");
  return { form, target: target === "-" ? await input.readStdin() : target };
}

async function run({ client, print, suggest }: Session, { form, target }: Values): Promise<void> {
  const added = await client.call<{ id: string; secret: string | null }>(
    "POST",
    path`/forms/${form}/targets`,
    { target },
  );
  const { id, secret } = added;
  const secretLine: [string, string][] = secret === null ? [] : [["secret", secret]];
  await print(added, details([["target", id], ...secretLine]));
  if (secret !== null) {
    suggest(
      "\nKeep the secret: it is not shown again. The receiver verifies with it that a request is genuine.",
    );
  }
  suggest(shown`Next: formflag targets test ${id}`);
}
