import { formOf } from "../forms/form-words.ts";
import { own } from "../../../base/shapes/own.ts";
import { maskTarget } from "../../../delivery/target.ts";
import type { Delivery } from "../../../delivery/delivery.ts";
import { type DeliveryStatus, WITHOUT_MAIL } from "../../../delivery/delivery-status.ts";
import type { App } from "../../../app.ts";
import { AskingButton } from "../parts/danger.tsx";
import { ButtonForm, type ButtonKind } from "../parts/link.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { PROJECT, formPath, pathTo } from "../paths.ts";

export const STATUS_LABELS: Record<DeliveryStatus, string> = {
  queued: "Waiting",
  failed: "Failed",
  delivered: "Delivered",
  cancelled: "Cancelled",
};

const TONES: Record<DeliveryStatus, Tone> = {
  queued: "info",
  failed: "bad",
  delivered: "good",
  cancelled: "neutral",
};

export function StatusBadge({ status }: { status: DeliveryStatus }) {
  return <Badge tone={TONES[status]}>{STATUS_LABELS[status]}</Badge>;
}

/** Next steps by the status code of a receiver. */
const BY_CODE: Record<number, string> = {
  301: "The receiver has moved: give the target its new URL.",
  302: "The receiver has moved: give the target its new URL.",
  308: "The receiver has moved: give the target its new URL.",
  400: "The receiver does not understand it: check that the kind of the target is right.",
  401: "The receiver refuses it: check the secret in the URL, and give the target a new one.",
  403: "The receiver refuses it: check the secret in the URL, and give the target a new one.",
  404: "The URL does not exist: give the target the right one.",
  410: "The receiver is gone for good: delete the target, or give it a new URL.",
  413: "The submission is too large for the receiver.",
  429: "The receiver takes fewer messages: it is sent again later.",
};

/** The next step after an attempt that failed; null if nothing is left to do. */
export function adviceFor({ code, error, status, kind }: Delivery): string | null {
  if (error === null) return null;
  if (error === WITHOUT_MAIL) return "Name a mail server in the settings of the server.";
  if (code !== null) {
    const advice = hasTarget(kind) ? BY_CODE[code] : undefined;
    if (advice) return advice;
    if (code >= 500) return "The receiver has a fault of its own: ask who runs it.";
  }
  return status === "failed" ? "Once the receiver works again, retry it." : null;
}

const KIND_LABELS: Record<string, string> = {
  notification: "Notification",
  autoreply: "Automatic reply",
  reply: "Reply",
};

/** The kind of a delivery for people: a chat service by its name. */
export function kindLabel(kind: string): string {
  return own(KIND_LABELS, kind) ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** Whether a delivery is to a target, rather than to an address. */
export function hasTarget(kind: string): boolean {
  return kind !== "notification" && kind !== "autoreply" && kind !== "reply";
}

/** An event of a project, or a family of them: `flag changed`, `all about flags`. */
export function eventInWords(event: string): string {
  return event.endsWith(".*") ? `all about ${event.slice(0, -2)}s` : event.replace(".", " ");
}

/** The form whose submission is delivered, or the event of a project, for people. */
export function subjectOf({ project, form, environment, event }: Delivery): string {
  if (form !== null) return formOf({ project, form });
  return `${eventInWords(event!)} in ${environment === null ? project : `${project}/${environment}`}`;
}

/** Recipients by the `target` of deliveries: a mail address in full, a URL without its secret parts. */
export type Recipients = Map<string, string>;

export async function recipientsOf({ store }: App, deliveries: readonly Delivery[]): Promise<Recipients> {
  const recipients: Recipients = new Map();
  for (const { kind, target } of deliveries) {
    if (recipients.has(target)) continue;
    const isMail = !hasTarget(kind);
    const record = isMail ? undefined : await store.targets.find(target);
    recipients.set(target, isMail ? target : record ? maskTarget(record) : "a target that was deleted");
  }
  return recipients;
}

/** The way to another URL of the target of a delivery that failed. */
export function NewUrlButton({ delivery: { project, form, target, kind, error } }: { delivery: Delivery }) {
  if (error === null || !hasTarget(kind)) return null;
  const owner = form === null ? pathTo(PROJECT, { project }) : formPath(formOf({ project, form }));
  return (
    <ButtonForm to={`${owner}/targets/${target}`} values={{ do: "url" }}>
      New URL…
    </ButtonForm>
  );
}

/** Sends a delivery again; after a question if the receiver has it already. */
export function RetryButton({
  delivery,
  values,
  kind: look,
}: {
  delivery: Delivery;
  values: Readonly<Record<string, string | null>>;
  kind: ButtonKind;
}) {
  const to = "/deliveries/retry";
  const { status, kind } = delivery;
  const words = status === "delivered" ? "Send again" : status === "queued" ? "Retry now" : "Retry";
  const label = `${words}: ${kindLabel(kind)} of ${subjectOf(delivery)}`;
  if (status !== "delivered")
    return (
      <ButtonForm to={to} values={values} kind={look} icon="send" label={label}>
        {words}
      </ButtonForm>
    );
  return (
    <AskingButton
      to={to}
      values={values}
      kind={look}
      icon="send"
      label={label}
      question="The receiver has it already, and gets it once more."
      confirm="Send it again"
    >
      Send again…
    </AskingButton>
  );
}
