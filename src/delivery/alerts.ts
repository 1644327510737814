import { type Alert, buildAlert } from "./alert.ts";
import type { Attempt } from "./attempt.ts";
import type { OutboxApp } from "./outbox.ts";
import type { Outgoing } from "./outgoing.ts";

/** An operator gets one alert about a target in this time, in milliseconds. */
const ALERT_MS = 3_600_000;

/**
 * Sends an operator a message about a target that fails. Returns null where one was sent within the last hour, by whichever
 * process, and without a mail server.
 */
export async function sendAlert(
  app: OutboxApp & { nextId: () => string },
  { mail }: Outgoing,
  alert: Pick<Alert, "to" | "form" | "target" | "error" | "isSwitchedOff">,
): Promise<Attempt | null> {
  const now = app.now();
  if (mail === null || !(await app.store.deliveries.claimAlert(alert.target, now, now + ALERT_MS)))
    return null;
  return mail.mailer.send(buildAlert({ ...alert, id: app.nextId(), from: mail.from, now }));
}
