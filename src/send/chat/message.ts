import type { ChatMessage } from "../../delivery/outgoing.ts";

/** How a service counts and writes text. */
export type TextFormat = {
  /** Most units of a text. */
  limit: number;
  /** The units of a text: the sum of those of its parts. */
  sizeOf: (text: string) => number;
  escape: (text: string) => string;
};

/** UTF-16 units: at least as many as the characters that a service may count. */
export const unitsOf = (text: string) => text.length;

/** Bytes of UTF-8. */
export const bytesOf = (text: string) => Buffer.byteLength(text);

/** Characters of a title. */
const MAX_TITLE = 200;

/** Parts of an escaped text that must not be cut: an entity, an escaped character, a code point. */
const PARTS = /&(?:amp|lt|gt);|\\[^]|[^]/gu;

/** A title on one line, of at most 200 characters. */
export function titleText(title: string): string {
  return cut(oneLine(title), MAX_TITLE, unitsOf);
}

/** Title, fields and link within the limit of a service. The fields are cut first, so that the link stays. */
export function messageText({ title, fields, link }: ChatMessage, format: TextFormat): string {
  const { limit, sizeOf, escape } = format;
  const [head, foot] = [escape(titleText(title)), escape(oneLine(link))];
  const around = [head, foot].map((part) => (part === "" ? "" : `${part}\n\n`)).join("");
  const room = limit - sizeOf(around);
  // No service has fewer units than UTF-16: what is behind the limit would only be escaped to be cut.
  const body = cut(escape(fieldsText(fields).slice(0, limit + 1)), room, sizeOf);
  const parts = [head, body, foot].filter((part) => part !== "");
  return cut(parts.join("\n\n"), limit, sizeOf);
}

function fieldsText(fields: ChatMessage["fields"]): string {
  return fields
    .map(([name, text]) => {
      const plain = plainText(text);
      return `${oneLine(name)}:${plain.includes("\n") ? "\n" : " "}${plain}`;
    })
    .join("\n");
}

function cut(text: string, limit: number, sizeOf: TextFormat["sizeOf"]): string {
  if (sizeOf(text) <= limit) return text;
  let room = limit - sizeOf("…");
  if (room < 0) return "";
  let end = 0;
  for (const [part] of text.matchAll(PARTS)) {
    room -= sizeOf(part);
    if (room < 0) break;
    end += part.length;
  }
  return `${text.slice(0, end)}…`;
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").trim();
}

/** A text without control characters other than line ends and tabs, which a service may refuse. */
function plainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .trim();
}
