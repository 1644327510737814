import type { Command } from "commander";
import { AppError } from "../../src/base/errors.ts";
import type { MailTest } from "../../src/delivery/mail-test.ts";
import type { SenderDns } from "../../src/delivery/mail-test-schema.ts";
import { mail as operations } from "../../src/operations/mail.ts";
import type { Io } from "../output/terminal.ts";
import { printable, shown, table } from "../output/text.ts";
import { action } from "../session/action.ts";
import type { Session } from "../session/session.ts";
import { named } from "../session/verb.ts";
import { heard } from "../session/command-line.ts";

export function addMailCommands(mail: Command, io: Io): void {
  heard(mail)`
[formflag] emails mailer smtp: mail test
send: mail test
`;
  mail
    .command("test")
    .argument("[address]", "mail address that gets the message")
    .description("send one test message and show the answer of the mail server")
    .after(`
The mail server may be a mail service (serve --mail-url). With --server, that server sends the message. Otherwise this command sends it, with the mail server of the running server.
FORMFLAG_SMTP_URL, FORMFLAG_MAIL_FROM and the other variables of serve replace that, and are needed if no server runs.

It also looks up SPF, DKIM, DMARC and MX of the sender's domain, and prints the records to add. FORMFLAG_DNS names another
name server, as 192.0.2.53:53.

Exit code: 0 when the mail server accepted the message, 6 when not, 5 when no mail server is configured.

Examples:
  formflag mail test you@example.com
  formflag mail test you@example.com --server https://forms.example.com
  FORMFLAG_SMTP_URL=smtp://127.0.0.1:25 FORMFLAG_MAIL_FROM=forms@example.com formflag mail test you@example.com
`)
    .action(action(io, named("address"), sendTest));
}

async function sendTest({ client, report, suggest, progress }: Session, address: string): Promise<void> {
  const waiting = progress();
  waiting.draw(shown`sending a message to ${address}…`);
  let result: MailTest;
  try {
    result = await client.call(operations.test, { body: { address } });
  } finally {
    waiting.clear();
  }
  const { delivered, code, error, sender } = result;
  if (!delivered) {
    const reason = error ?? "the mail server gave no reason";
    throw new AppError("unavailable", `the message was not delivered: ${reason}`, { hint: adviceOn(reason) });
  }
  await report(
    result,
    shown`delivered: the mail server accepted the message to ${address} (${String(code)})\n` +
      (sender === null ? "" : describeSender(sender)),
  );
  suggest("Check that it arrives, and not in the spam folder.");
}

/** The DNS records of the sender's domain, and those to add. */
function describeSender({ domain, records, verdict }: SenderDns): string {
  const rows = records.map(({ name, state, message }) => [name, state, printable(message)]);
  const added = records.flatMap(({ add }) => (add === null ? [] : [`  ${printable(add)}\n`]));
  const advice =
    added.length === 0 ? "" : shown`\nRecords to add to the zone of ${domain}:\n` + added.join("");
  return `\n${table(["RECORD", "STATE", "WHAT"], rows)}${advice}\n${printable(verdict)}\n`;
}

/** Advice by the error of a mail server or its connection. The first match counts. */
const ADVICE: [pattern: RegExp, advice: string][] = [
  [
    /^[a-z]+: (?:the answer was )?40[13]\b/,
    "check the key of the mail service, and that the sender's domain is verified there",
  ],
  [/^[a-z]+: (?:the answer was )?\d{3}\b/, "the answer of the mail service says why"],
  [/^[a-z]+: (?:the connection|no answer)/, "check that this machine reaches the mail service over HTTPS"],
  [
    /\b(?:helo|ehlo)\b/i,
    "the server refuses the name that it is greeted with: set --mail-helo or FORMFLAG_MAIL_HELO to the public name of this machine",
  ],
  [
    /^AUTH .*no answer within/,
    "servers hold back the answer to a wrong login: check the user in the SMTP URL and the password",
  ],
  [/no answer within/, "the server accepts connections but does not answer: check its log"],
  [/^connection refused: /, "the server takes no mail from this machine: its reply says why"],
  [
    /^STARTTLS/,
    "the server offers no encryption at this port: use smtps:// with its port for TLS (465), or ?starttls=off only on a trusted network",
  ],
  [
    /^AUTH|^\S+ \S+: 53[0458] |Missing credentials/,
    "check the user in the SMTP URL (with %40 for an @) and the password; some providers want a password made for apps",
  ],
  [
    /^MAIL FROM/,
    "the server does not accept mail from that address: check the sender: --mail-from or FORMFLAG_MAIL_FROM",
  ],
  [
    /^RCPT TO: 5/,
    "the server does not accept mail to that address: check it, and whether the server wants a login",
  ],
  [/^DATA: 5/, "the server refused the message itself: its reply says why"],
  [/^[A-Z ]+: 4/, "the server asks to try again later: deliveries do that by themselves"],
  [/not match/, "the certificate is for another name: write that name as the host in the SMTP URL"],
  [/certificate/i, "the certificate is not trusted: name its authority with --smtp-ca or FORMFLAG_SMTP_CA"],
  [/ECONNREFUSED/, "nothing listens there: check host and port in the SMTP URL"],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, "its name is not known: check the host in the SMTP URL"],
  [/WRONG_VERSION|packet length/, "the server does not start with TLS at this port: use smtp:// (587)"],
  [
    /greeting/i,
    "the server did not speak SMTP: for the port 465 use smtps://, and check the host; many networks block port 25",
  ],
  [
    /ETIMEDOUT|time(?:d )?-?out|not sent within/i,
    "check host and port in the SMTP URL, and whether a firewall blocks it",
  ],
];

/** Returns advice for a failed message, in one sentence. */
export function adviceOn(error: string): string {
  const found = ADVICE.find(([pattern]) => pattern.test(error));
  return found?.[1] ?? "check host and port in the SMTP URL, and the log of the mail server";
}
