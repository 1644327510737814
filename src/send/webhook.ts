import { Webhook } from "standardwebhooks";
import type { Random } from "../base/ids.ts";
import type { OutgoingRequest } from "./request.ts";

/** What one delivery to a webhook consists of. */
export type WebhookDelivery = {
  url: string;
  /** The id of the delivery, the same in every attempt, without a dot. */
  id: string;
  /** One secret, or during an overlap two; each signs. */
  secrets: readonly string[];
  /** The submission as JSON text. */
  data: string;
  /** When the submission arrived, in ISO 8601. */
  createdAt: string;
};

/** A secret for {@link webhookRequest}: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes it. */
export function createWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random(32)).toString("base64")}`;
}

/**
 * The request of a webhook, signed at the time `now`, in milliseconds since 1970, as Standard Webhooks specifies. Every
 * attempt is signed anew, since receivers refuse timestamps older than minutes.
 */
export function webhookRequest(
  { url, id, secrets, data, createdAt }: WebhookDelivery,
  now: number,
  version: string,
): OutgoingRequest {
  // Joined, because parsing the data would round its numbers.
  const body = `{"type":"submission.created","timestamp":${JSON.stringify(createdAt)},"data":${data}}`;
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
