import { isObject } from "../../base/json.ts";
import type { Submission } from "../submission.ts";
import { IMPORT_LIMITS } from "../limits.ts";
import type { Visitor } from "../intake/measured.ts";

/** The consent of a sender, as it is shown. */
export type Consent = NonNullable<Submission["consent"]>;

/** The same as it is stored: until the sender confirms, also with what that needs. */
export type StoredConsent = Consent & {
  /** The language in which the sender is asked, where the form has that of its reader. */
  language?: string;
  /** The visitor whose conversions count then. */
  visitor?: Visitor | null;
};

const HASH = /^[0-9a-f]{64}$/;

/** The consent in a value, as parsed JSON, without what only confirming needs; undefined for another value. */
export function consentIn(value: unknown): Consent | undefined {
  if (!isObject(value)) return undefined;
  const { at, address, text } = value;
  const isTime = typeof at === "string" && !Number.isNaN(Date.parse(at));
  const isAddress = address === null || (typeof address === "string" && HASH.test(address));
  const isText = typeof text === "string" && text.length <= IMPORT_LIMITS.consent;
  return isTime && isAddress && isText ? { at, address, text } : undefined;
}

/** The text that a form shows to its senders: its name and description, and those of its fields, a line each. */
export function shownText({
  name,
  schema,
}: {
  name: string;
  schema: Record<string, unknown> | null;
}): string {
  const lines = [name, ...textsOf(schema)];
  const properties = schema?.["properties"];
  if (isObject(properties))
    for (const [field, property] of Object.entries(properties)) {
      const texts = textsOf(property);
      lines.push(texts.length > 0 ? texts.join(": ") : field);
    }
  return lines.join("\n").slice(0, IMPORT_LIMITS.consent).toWellFormed();
}

function textsOf(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const texts = [schema["title"], schema["description"]];
  return texts.filter((text): text is string => typeof text === "string" && text !== "");
}
