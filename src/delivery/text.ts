import { parseExactly } from "../base/json/exact-json.ts";
import { isStructure } from "../base/json.ts";
import { own } from "../base/shapes/own.ts";

/** The variants of flags that a sender got; null for none. */
export type SeenVariants = { variants: Readonly<Record<string, string>> } | null;

/** The variants of flags in one line, of at most 500 characters: `hero=b search=on`; null for none. */
export function describeFlags(flags: SeenVariants): string | null {
  if (flags === null) return null;
  const words = Object.entries(flags.variants).map(([flag, variant]) => `${flag}=${variant}`);
  return words.length === 0 ? null : oneLine(words.join(" "), 500);
}

/** A text in one line without control characters, at most `length` characters. A longer text ends in "…". */
export function oneLine(text: string, length: number): string {
  // Long texts are cut before they are cleaned, with room for white space that is trimmed.
  const line = text
    .slice(0, 10 * length)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A text with `\n` as its line breaks and no other control characters but tabs. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|\u2028|\u2029/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

/** A time in milliseconds since 1970 as `2026-10-11 14:03 UTC`, or in a zone as `2026-10-11 16:03 GMT+2`. */
export function timeIn(ms: number, timeZone: string | null): string {
  if (timeZone === null) return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const options = { timeZone, dateStyle: "short", timeStyle: "short" } as const;
  const [day, time] = [
    // Sweden writes days as ISO 8601 does.
    new Intl.DateTimeFormat("sv-SE", options).format(ms),
    new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "short" }).formatToParts(ms),
  ];
  return `${day} ${time.find(({ type }) => type === "timeZoneName")!.value}`;
}

/** A text for the content or a quoted attribute of HTML. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => own(entities, character)!);
}

/** The HTML part of a message around its content. `language` is null if it is not known. */
export function mailHtml(
  content: string,
  { language = "en", title = null }: { language?: string | null; title?: string | null } = {},
): string {
  return `<!doctype html>
<html${language === null ? "" : ` lang="${language}"`}>
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">${title === null ? "" : `<title>${escapeHtml(title)}</title>`}</head>
<body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5">
${content}
</body>
</html>
`;
}

/** A text for the content of HTML that keeps its line breaks and the spaces at the start of a line. */
export function htmlLines(text: string): string {
  return escapeHtml(text)
    .replaceAll(/^ +/gm, (spaces) => "&nbsp;".repeat(spaces.length))
    .replaceAll("\n", "<br>\n");
}

/**
 * A JSON value for a person: texts unchanged, the items of an array one a line, an object as lines of `name: value`. At
 * most `limit` characters; `isCut` if there were more.
 */
export function describeValue(value: unknown, limit: number): { text: string; isCut: boolean } {
  let text = "";
  let isCut = false;
  const put = (more: string) => {
    const room = limit - text.length;
    isCut ||= more.length > room;
    text += more.slice(0, Math.max(room, 0));
  };
  const putValue = (value: unknown, indent: string) => {
    if (!isStructure(value)) {
      const whole = value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
      put(plainText(whole.slice(0, limit)).replaceAll("\n", `\n${indent}`));
      isCut ||= whole.length > limit;
      return;
    }
    const isList = Array.isArray(value);
    let isFirst = true;
    for (const key of isList ? value.keys() : Object.keys(value)) {
      if (isCut) return;
      const child: unknown = (value as Record<string | number, unknown>)[key];
      const isNested = isStructure(child);
      put(isFirst ? "" : `\n${indent}`);
      if (isList) put(isNested ? "- " : "");
      else put(`${oneLine(String(key), 80)}:${isNested ? `\n${indent}  ` : " "}`);
      putValue(child, isList && !isNested ? indent : `${indent}  `);
      isFirst = false;
    }
  };
  putValue(value, "");
  return { text: text.toWellFormed(), isCut };
}

/** The fields of a submission from its JSON, which has to be an object, as `parseExactly` reads them. */
export function parseFields(json: string): Record<string, unknown> {
  return parseExactly(json) as Record<string, unknown>;
}
