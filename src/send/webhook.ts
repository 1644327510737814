import { Webhook } from "standardwebhooks";
import type { WebhookDelivery } from "../delivery/outgoing.ts";
import type { OutgoingRequest } from "./request.ts";

/**
 * The request of a webhook, signed at the time `now`, in milliseconds since 1970, as Standard Webhooks specifies. Every
 * attempt is signed anew, since receivers refuse timestamps older than minutes.
 */
export function webhookRequest(
  { url, id, type, secrets, data, createdAt }: WebhookDelivery,
  now: number,
  version: string,
): OutgoingRequest {
  // Joined, because parsing the data would round its numbers.
  const body = `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},"data":${data}}`;
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(now), body));
  return {
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `formflag/${version}`,
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "webhook-signature": signatures.join(" "),
    },
  };
}
