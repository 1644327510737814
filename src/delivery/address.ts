import { asciiDomain } from "../base/address-spelling.ts";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Mailbox } from "./message.ts";
import { oneLine } from "./text.ts";

/**
 * A dot-atom (RFC 5322, 3.2.3) without `!` and `%`, which old relays read as a route to another host. Quoted local parts are
 * not accepted: programs disagree on where they end.
 */
const LOCAL_PART = /^[A-Za-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9#$&'*+/=?^_`{|}~-]+)*$/;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const MAX_ADDRESS = 254;

/** The fields that hold the sender's address if a form names none, in upper or lower case. */
const ADDRESS_FIELDS = ["email", "_replyto", "e-mail", "mail"];

/**
 * Returns the plain address that a text consists of, with its domain in lower case and ASCII, at most 254 characters
 * (RFC 5321, 4.5.3.1). Spaces around it are ignored. Null for any other text: several addresses, a display name, a
 * quoted or non-ASCII local part, a domain without a dot, or an IP address.
 */
export function plainAddress(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const parts = splitAddress(text.replaceAll(/^ +| +$/g, ""));
  return parts !== null && parts.labels.length > 1 && !/^\d+$/.test(parts.labels.at(-1)!)
    ? parts.address
    : null;
}

/**
 * The mailbox of a plain address, for limits: in lower case, without what follows a `+`, and without the dots that Gmail
 * ignores. Mail to all of its spellings usually arrives in one place.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1).toLowerCase();
  const name = address
    .slice(0, at)
    .toLowerCase()
    .replace(/(?<=.)\+.*/, "");
  return GMAIL.has(domain) ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}

const GMAIL = new Set(["gmail.com", "googlemail.com"]);

/** Whether a text is an address that a message can be sent to; unlike a sender's, its domain may have no dot. */
export function isMailAddress(text: string): boolean {
  return splitAddress(text) !== null;
}

/**
 * Parses a mailbox such as `Shop <shop@example.com>`, `"Shop, Berlin" <shop@example.com>` or `shop@example.com`.
 * Accepts a domain without a dot, because only operators set mailboxes and their relay may know it. Throws `invalid`
 * for any other text.
 */
export function parseMailbox(text: string): Mailbox {
  const trimmed = text.trim();
  const opening = trimmed.lastIndexOf("<");
  const isBracketed = opening !== -1 && trimmed.endsWith(">");
  const parts = splitAddress(isBracketed ? trimmed.slice(opening + 1, -1) : trimmed);
  const name = isBracketed ? unquoted(trimmed.slice(0, opening).trim()) : "";
  if (parts === null || name.length > 200 || /[\x00-\x1f\x7f<>]/.test(name)) {
    throw new AppError("invalid", "a mail address looks like shop@example.com or Shop <shop@example.com>", {
      reason: "mail-address-invalid",
    });
  }
  return { name, address: parts.address };
}

/** Whether {@link parseMailbox} reads a text. */
export function isMailbox(text: string): boolean {
  try {
    parseMailbox(text);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * The address of a sender: from the field that the form names, or the field that its schema describes as an email
 * address, or the first of `email`, `_replyto`, `e-mail` and `mail` with a plain address; of several in a field the first. Null
 * without one.
 */
export function findSenderAddress(
  data: unknown,
  emailField: string | null,
  schemaField: string | null,
): string | null {
  if (!isObject(data)) return null;
  const field = emailField ?? schemaField;
  for (const name of field === null ? addressFields(data) : [field]) {
    const address = Object.hasOwn(data, name) ? firstAddress(data[name]) : null;
    if (address !== null) return address;
  }
  return null;
}

/** The address of a sender to which a form mails by itself: where senders confirm, only the one they confirm. */
export function senderAddress(
  form: { optIn: string | null; emailField: string | null; schema: object | null },
  fields: object,
): string | null {
  return findSenderAddress(fields, form.optIn ?? form.emailField, emailFieldOf(form.schema));
}

/** Why {@link findSenderAddress} finds none, in words; a field that seems to hold the address is named. */
export function senderFault(
  data: Readonly<Record<string, unknown>>,
  emailField: string | null,
  schemaField: string | null,
): string {
  const field = emailField ?? schemaField;
  const fields = field === null ? addressFields(data) : [field];
  const typed = fields.find((name) => Object.hasOwn(data, name) && !EMPTY.has(data[name]));
  const other = Object.keys(data).find((name) => firstAddress(data[name]) !== null);
  const offer = other === undefined ? "" : `; the field ${oneLine(other, 80)} holds one`;
  if (typed === undefined) return `the submission has no mail address of its sender${offer}`;
  const value = data[typed];
  const text = oneLine(typeof value === "string" ? value : JSON.stringify(value), 80);
  return /^[^@\s]*[^\0-\x7f][^@\s]*@[^@\s]+$/.test(text)
    ? `the mailbox of ${text} has other characters than ASCII, to which formflag cannot send`
    : `${text} in the field ${oneLine(typed, 80)} is no mail address that can be sent to${offer}`;
}

const EMPTY = new Set<unknown>([undefined, null, ""]);

/** The fields of a submission that are called as those with an address are, in the order in which they count. */
function addressFields(data: object): string[] {
  const names = Object.keys(data);
  return ADDRESS_FIELDS.flatMap((wanted) => names.filter((name) => name.toLowerCase() === wanted));
}

/** Addresses of one field that are tried. */
const MAX_ADDRESSES = 10;

/** The first plain address of a field, which may hold several. */
function firstAddress(value: unknown): string | null {
  const texts: unknown[] = Array.isArray(value) ? value.slice(0, MAX_ADDRESSES) : [value];
  for (const text of texts) {
    if (typeof text !== "string") continue;
    const start = text.slice(0, MAX_ADDRESSES * MAX_ADDRESS);
    const words = start.split(/[,;\s]+/, MAX_ADDRESSES);
    // Words of a sentence are no list, unless each may be an address.
    const areAddresses = words.every((word) => word === "" || word.includes("@"));
    for (const each of [text, ...(areAddresses ? words : start.split(/[,;]/, MAX_ADDRESSES))]) {
      const address = plainAddress(each);
      if (address !== null) return address;
    }
  }
  return null;
}

/** The first property of a JSON Schema that is described as an email address, or null. */
export function emailFieldOf(schema: object | null): string | null {
  const properties = isObject(schema) && schema["properties"];
  if (!isObject(properties)) return null;
  const isEmail = (name: string) => {
    const property = properties[name];
    return isObject(property) && property["format"] === "email";
  };
  return Object.keys(properties).find(isEmail) ?? null;
}

/** The Message-ID of a delivery, the same at each attempt, so that a mailbox can recognise a repeat. */
export function messageId(deliveryId: string, from: Mailbox): string {
  return `<${deliveryId}@${from.address.slice(from.address.lastIndexOf("@") + 1)}>`;
}

function splitAddress(text: string): { address: string; labels: string[] } | null {
  // In ASCII a domain may be shorter than as it is written.
  if (text.length > 2 * MAX_ADDRESS) return null;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  if (at < 1 || local.length > 64 || !LOCAL_PART.test(local)) return null;
  const domain = asciiDomain(text.slice(at + 1));
  const address = `${local}@${domain}`;
  const labels = domain.split(".");
  return address.length <= MAX_ADDRESS && labels.every((label) => LABEL.test(label))
    ? { address, labels }
    : null;
}

function unquoted(name: string): string {
  const isQuoted = name.length > 1 && name.startsWith('"') && name.endsWith('"');
  return isQuoted ? name.slice(1, -1).replaceAll(/\\(.)/g, "$1") : name;
}
