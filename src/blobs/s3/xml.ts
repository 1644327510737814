import { own } from "../../base/shapes/own.ts";

/**
 * The text of a tag inside an answer, unescaped, or undefined. Answers of S3 have neither attributes
 * that matter nor CDATA, and no two tags of a name that mean different things where they are read.
 */
export function textOf(xml: string, tag: string): string | undefined {
  const [inner] = innerOf(xml, tag, 1);
  return inner === undefined ? undefined : unescapeXml(inner);
}

/** Content of each tag with that name, still escaped. */
export function innerOf(xml: string, tag: string, limit = Infinity): string[] {
  const found: string[] = [];
  const open = new RegExp(`<${tag}(?:\\s[^<>]*)?(/?)>`, "g");
  const close = `</${tag}>`;
  while (found.length < limit) {
    const match = open.exec(xml);
    if (!match) break;
    const end = match[1] === "/" ? open.lastIndex : xml.indexOf(close, open.lastIndex);
    if (end === -1) break;
    found.push(xml.slice(open.lastIndex, end));
    open.lastIndex = end;
  }
  return found;
}

/** Whether a text is an XML document with that root and ends as one. */
export function isDocument(xml: string, root: string): boolean {
  return new RegExp(
    `^\\s*(?:<\\?xml[^<>]*\\?>)?\\s*<${root}(?:\\s[^<>]*)?(?:/>|>[\\s\\S]*</${root}>)\\s*$`,
  ).test(xml);
}

/** A text as it is written between two tags. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\r\n]/g, (char) => `&#${char.charCodeAt(0)};`);
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return own(NAMED, name as string) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
