import { isoTime } from "../../base/clock.ts";
import { AppError, type FieldError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import { plainAddress } from "../../delivery/address.ts";
import type { NewDelivery } from "../../delivery/delivery.ts";
import { paceOfForm, paceTo } from "../../delivery/opt-in/paces.ts";
import type { Sender } from "../intake/conditions.ts";
import type { Visitor } from "../intake/measured.ts";
import type { Form } from "../form.ts";
import { askedLanguage } from "../settings/language.ts";
import type { FormsApp } from "../store.ts";
import { type StoredConsent, shownText } from "./consent.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The address in the field whose owner confirms; null for another value, and for a form that does not ask. */
export function optInAddress({ optIn }: Pick<Form, "optIn">, fields: Fields): string | null {
  return optIn !== null && Object.hasOwn(fields, optIn) ? plainAddress(fields[optIn]) : null;
}

/** The fault of a submission without an address that can be asked; empty for none. */
export function optInFaults(form: Form, fields: Fields): FieldError[] {
  const { optIn: field } = form;
  if (field === null || optInAddress(form, fields) !== null) return [];
  const value = Object.hasOwn(fields, field) ? fields[field] : null;
  const isMissing = value === null || value === "";
  const [code, message] = isMissing
    ? (["required", `${field} is required`] as const)
    : (["format", `${field} is not one mail address`] as const);
  return [{ field, code, message, label: field, limit: isMissing ? [] : ["email"] }];
}

/** The request to confirm a submission to a form. */
export function confirmationTo(app: FormsApp, form: Pick<Form, "key">, target: string): NewDelivery {
  return { id: app.nextId(), kind: "confirmation", target, paces: [paceOfForm(form.key), paceTo(target)] };
}

/** The consent of the sender of a submission, as JSON. */
export async function consentOf(
  app: FormsApp,
  form: Form,
  sender: Pick<Sender, "network" | "details">,
  visitor: Visitor | null,
): Promise<string> {
  const consent: StoredConsent = {
    at: isoTime(app.now()),
    address: await hashNetwork(app, sender.network()),
    text: shownText(form),
    ...(form.language === "auto" && { language: askedLanguage(sender.details().language ?? "") }),
    ...(visitor && { visitor }),
  };
  return JSON.stringify(consent);
}

/** The secrets of databases: each submission to a form whose senders confirm is hashed with it. */
const secrets = new WeakMap<object, () => Promise<string>>();

/** A hash of a network, by which one request can be compared with another, and which names no network. */
export async function hashNetwork({ store, random }: FormsApp, network: string): Promise<string> {
  let secret = secrets.get(store);
  if (!secret) {
    secret = once(() => store.secrets.keep("consent", Buffer.from(random(32)).toString("base64url")));
    secrets.set(store, secret);
  }
  return new Bun.CryptoHasher("sha256", await secret()).update(network).digest("hex");
}

/** When the sender of a submission can confirm it no longer, in milliseconds since 1970. */
export function endOfOptIn({ optInWithin }: Pick<Form, "optInWithin">, createdAt: number): number {
  return createdAt + optInWithin * 1000;
}

/**
 * The delivery that asks the sender of a submission again, after it has left the spam folder; null if the form asks no longer.
 * Throws `conflict` once it is too late to confirm, and for a submission without an address.
 */
export async function askAgain(app: FormsApp, form: Form, id: string): Promise<NewDelivery | null> {
  const awaited = await app.store.submissions.awaited(id);
  if (!awaited?.consent || form.optIn === null) return null;
  if (endOfOptIn(form, awaited.createdAt) <= app.now())
    throw cannotConfirm(`the time in which the sender of ${id} could confirm it is over`);
  const address = optInAddress(form, JSON.parse(awaited.data) as Fields);
  if (address === null) throw cannotConfirm(`${id} has no mail address whose owner could confirm it`);
  return confirmationTo(app, form, address);
}

function cannotConfirm(message: string): AppError {
  return new AppError("conflict", message, { reason: "submission-unconfirmed", hint: "it can be deleted" });
}
