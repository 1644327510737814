import type * as z from "zod/mini";
import { NO_MAIL_SERVER } from "./delivery-status.ts";
import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { dashedKey } from "../base/ids.ts";
import { parseMailbox } from "./address.ts";
import type { mailTestSchema } from "./mail-test-schema.ts";
import { buildNotice } from "./notice.ts";
import type { Outgoing } from "./outgoing.ts";

export type MailTest = z.infer<typeof mailTestSchema>;

/**
 * Sends one test message and returns the answer of the mail server. Throws `conflict` without a mail server, `invalid`
 * for text that is not a mail address, `forbidden`.
 */
export async function testMail(
  app: ClockAndRandom,
  caller: Caller,
  mail: Outgoing["mail"],
  address: string,
): Promise<MailTest> {
  requireScope(caller, "admin");
  const to = parseMailbox(address).address;
  if (mail === null) throw new AppError("conflict", NO_MAIL_SERVER, { reason: "mail-server-missing" });
  const id = `test-${dashedKey(app.random)}`;
  const message = buildNotice({ id, from: mail.from, to, now: app.now(), subject: SUBJECT, lines: LINES });
  const [{ outcome, code, error }, sender] = await Promise.all([mail.mailer.send(message), mail.inspect()]);
  return { id: message.id, from: mail.from.address, delivered: outcome === "delivered", code, error, sender };
}

const SUBJECT = "Test message from formflag";

const LINES = [
  "This server can send mail: its settings and its mail server work.",
  "The message was sent by the command formflag mail test. Nothing else has to be done.",
];
