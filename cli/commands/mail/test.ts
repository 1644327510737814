import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { MailTest } from "../../../src/delivery/mail-test.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { adviceOn } from "./advice.ts";

export function addTestCommand(mail: Command, io: Io): void {
  mail
    .command("test")
    .argument("[address]", "mail address that gets the message")
    .description("send one test message and say what the mail server answered")
    .addHelpText(
      "after",
      `
With --server that server sends it, with its own settings. Without, this command sends it itself, with the settings in
FORMFLAG_SMTP_URL, FORMFLAG_MAIL_FROM and the other variables of serve.

Exit code: 0 when the mail server accepted the message, 6 when not, 5 when no mail server is configured.

Examples:
  formflag mail test you@example.com --server https://forms.example.com
  FORMFLAG_SMTP_URL=smtp://127.0.0.1:25 FORMFLAG_MAIL_FROM=forms@example.com formflag mail test you@example.com
`,
    )
    .action(action(io, parse, run));
}

async function parse(input: Input, given?: string): Promise<string> {
  return input.need(given, "address");
}

async function run({ client, report, suggest, progress }: Session, address: string): Promise<void> {
  const waiting = progress();
  waiting.draw(shown`sending a message to ${address}…`);
  let result: MailTest;
  try {
    result = await client.call<MailTest>("POST", "/mail/test", { address });
  } finally {
    waiting.clear();
  }
  const { delivered, code, error } = result;
  if (!delivered) {
    const reason = error ?? "the mail server gave no reason";
    throw new AppError("unavailable", `the message was not delivered: ${reason}`, { hint: adviceOn(reason) });
  }
  await report(
    result,
    shown`delivered: the mail server accepted the message to ${address} (${String(code)})\n`,
  );
  suggest("Check that it arrives, and not in the spam folder.");
}
