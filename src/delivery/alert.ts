import type { Attempt } from "./attempt.ts";
import type { MailMessage, Mailbox } from "./message.ts";
import { buildNotice } from "./notice.ts";
import type { OutboxApp } from "./outbox.ts";
import type { Outgoing } from "./outgoing.ts";
import { oneLine } from "./text.ts";

/** The content of an alert to the operator about a target that fails. */
export type Alert = {
  /** Unique to this alert. */
  id: string;
  from: Mailbox;
  /** One plain address. */
  to: string;
  /** Milliseconds since 1970, when the message is sent. */
  now: number;
  /** The form or the project of the target: `form contact`. */
  owner: string;
  /** The id of the target. */
  target: string;
  /** The short error of the last attempt. */
  error: string;
  /** Whether the target was switched off, rather than one delivery given up. */
  isSwitchedOff: boolean;
};

/** The message to the operator about a delivery that failed for the last time, or a target that was switched off. */
export function buildAlert({ id, from, to, now, owner, target, error, isSwitchedOff }: Alert): MailMessage {
  const [shownOwner, shownTarget] = [oneLine(owner, 70), oneLine(target, 80)];
  const what = isSwitchedOff
    ? `Target ${shownTarget} of ${shownOwner} was switched off`
    : `A delivery of ${shownOwner} to target ${shownTarget} failed`;
  const consequence = isSwitchedOff
    ? "Nothing more is delivered to it until it is enabled again."
    : "It was the last attempt: retry it once the cause is fixed.";
  const lines = [`${what}.`, `Last error: ${oneLine(error, 200)}`, consequence];
  return buildNotice({ id, from, to, now, subject: what, lines });
}

/** An operator gets one alert about a target in this time, in milliseconds. */
const ALERT_MS = 3_600_000;

/**
 * Sends an operator a message about a failing target. Returns null if any process sent one within the last hour, or
 * without a mail server.
 */
export async function sendAlert(
  app: OutboxApp & { nextId: () => string },
  { mail }: Outgoing,
  alert: Pick<Alert, "to" | "owner" | "target" | "error" | "isSwitchedOff">,
): Promise<Attempt | null> {
  const now = app.now();
  if (mail === null || !(await app.store.deliveries.claimAlert(alert.target, now, now + ALERT_MS)))
    return null;
  return mail.mailer.send(buildAlert({ ...alert, id: app.nextId(), from: mail.from, now }));
}
