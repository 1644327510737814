import { isObject } from "../../../base/json.ts";

/** Characters of a name and of a summary in a list. */
const MAX_NAME = 80;
const MAX_SUMMARY = 160;
/** Fields in a summary beside the sender and the subject. */
const MAX_FIELDS = 6;

const NAMES = /^(full[_ -]?|your[_ -]?)?name$/i;
const FIRST_NAMES = /^(first|given)[_ -]?name$/i;
const LAST_NAMES = /^(last|family|sur)[_ -]?name$/i;
const ADDRESSES = /^(e-?mail|_replyto|mail|from)$/i;
const TOPICS = /^(subject|topic|title)$/i;

/** How a list shows a submission: who sent it, and the first fields in one line. */
export type Summary = { from: string; text: string };

/**
 * The summary of the data of a submission. The sender is the field of a name, of an address, or else the first field;
 * the subject comes first in the text.
 */
export function summaryOf(data: Readonly<Record<string, unknown>>): Summary {
  const fields = Object.entries(data).map(([name, value]) => ({ name, text: oneLine(value) }));
  const filled = fields.filter(({ text }) => text !== "");
  const sender = senderOf(filled);
  const rest = filled.filter((field) => !sender.includes(field));
  const topic = rest.filter(({ name }) => TOPICS.test(name)).slice(0, 1);
  const shown = [...topic, ...rest.filter((field) => !topic.includes(field)).slice(0, MAX_FIELDS)];
  return {
    from: cut(sender.map(({ text }) => text).join(" ") || "No fields", MAX_NAME),
    text: cut(shown.map(({ text }) => text).join(" · "), MAX_SUMMARY),
  };
}

type Field = { name: string; text: string };

function senderOf(filled: readonly Field[]): Field[] {
  const find = (names: RegExp) => filled.filter(({ name }) => names.test(name)).slice(0, 1);
  const choices = [find(NAMES), [...find(FIRST_NAMES), ...find(LAST_NAMES)], find(ADDRESSES)];
  return choices.find((fields) => fields.length > 0) ?? filled.slice(0, 1);
}

/** A value in one line, as far as a summary needs it. */
function oneLine(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.slice(0, 10).map(oneLine).filter(Boolean).join(", ");
  if (isObject(value)) return Object.values(value).slice(0, 10).map(oneLine).filter(Boolean).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, 1000).replaceAll(/\s+/g, " ").trim();
}

/** Cut between characters, never inside one. */
function cut(text: string, length: number): string {
  const characters = Array.from(text.slice(0, 2 * (length + 1)));
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`;
}
