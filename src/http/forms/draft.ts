import { isAscii } from "node:buffer";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { mayRepeat, withoutRepeats } from "../../base/json/json-members.ts";
import type { StagedBlob } from "../../blobs/blobs.ts";
import {
  checkCount,
  checkData,
  checkDepth,
  createFields,
  emptySubmission,
  overLimit,
} from "../../forms/intake/fields.ts";
import type { Form } from "../../forms/form.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../../forms/limits.ts";
import { type Entered, type Sent, checkNoLostFile, textSubmission } from "../../forms/intake/sent.ts";
import { cutMembers } from "../../forms/intake/control-fields.ts";
import { headerValue } from "../headers.ts";
import { type Body, readAll } from "../body.ts";
import { type Charset, charsetOf, decodeField, decodeText, isCharsetField, isUtf8 } from "./charset.ts";
import { readMultipart } from "./multipart-draft.ts";

/** A character that decoding puts in place of broken bytes. */
const REPLACEMENT = "\ufffd";

/**
 * Reads a submission in any of the three content types, and cuts the control fields out. Files are added to `staged` as
 * they begin, so that the caller can discard them after an error too; `entered` gets what can be shown again. Throws `invalid`, `forbidden`, `too_large`, `unsupported`.
 */
export function readDraft(
  app: App,
  form: Form,
  request: Request,
  body: () => Body,
  staged: StagedBlob[],
  controlNames: ReadonlySet<string>,
  entered: Entered | null = null,
): Promise<Sent> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported", "compressed submissions are not accepted: send the body as it is");
  }
  const contentType = request.headers.get("content-type") ?? "";
  switch (headerValue(contentType)) {
    case "application/json":
      return readAll(request, LIMITS.body, bodyTooLarge, body).then((bytes) =>
        readJson(form, bytes, charsetOf(contentType), controlNames, entered),
      );
    case "application/x-www-form-urlencoded":
      return readAll(request, LIMITS.body, bodyTooLarge, body).then((bytes) =>
        readUrlencoded(form, bytes, charsetOf(contentType), controlNames, entered),
      );
    case "multipart/form-data":
      return readMultipart(app, form, contentType, body(), staged, controlNames, entered);
    default:
      throw new AppError(
        "unsupported",
        "a submission is sent as application/json, application/x-www-form-urlencoded or multipart/form-data",
      );
  }
}

/** Keeps the text but for names that repeat, since parsing and serialising it again would lose digits. Throws `invalid`, `too_large`. */
function readJson(
  form: Form,
  bytes: Uint8Array,
  charset: Charset,
  controlNames: ReadonlySet<string>,
  entered: Entered | null,
): Sent {
  // A byte order mark is not part of JSON.
  const decoded = decodeText(bytes, charset, () => ["the JSON", "the JSON"]);
  const text = decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  checkDepth(charset === null ? bytes : Buffer.from(text));
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid", "the body is not valid JSON", { cause: error });
  }
  checkData(data);
  const fields = data as Record<string, unknown>;
  const json = mayRepeat(text, fields) ? withoutRepeats(text) : text;
  const cut = cutMembers({ json, data: fields }, controlNames);
  if (entered) entered.fields = () => cut.data;
  // An object without fields was refused before.
  if (cut.control.size > 0 && Object.keys(cut.data).length === 0) throw emptySubmission();
  checkNoLostFile(form, cut, false);
  return {
    data: cut.json,
    fields: cut.data,
    source: "json",
    control: cut.control,
    files: [],
    hasHoneypotFile: false,
  };
}

/**
 * https://url.spec.whatwg.org/#concept-urlencoded-parser, but for JSON, which programs such as curl send under this type
 * unless they name another: no form encodes to text that begins and ends with brackets, or begins with a name in quotes.
 */
function readUrlencoded(
  form: Form,
  bytes: Uint8Array,
  charset: Charset,
  controlNames: ReadonlySet<string>,
  entered: Entered | null,
): Sent {
  if (isJsonLike(bytes)) return readJson(form, bytes, charset, controlNames, entered);
  const text = escaped(bytes);
  checkCount(countPairs(text));
  let pairs: [name: string, value: string][] = [];
  let isBroken = false;
  // URLSearchParams drops one leading "?": this one, not one of the body. Its iterator takes twice as long.
  new URLSearchParams(`?${text}`).forEach((value, name) => {
    pairs.push([name, value]);
    isBroken ||= name.includes(REPLACEMENT) || value.includes(REPLACEMENT);
  });
  const named = pairs.find(([name]) => isCharsetField(name))?.[1].trim() || charset;
  if (!isUtf8(named) || isBroken) pairs = decodePairs(text, named);
  const fields = createFields();
  if (entered) entered.fields = () => fields.toData();
  for (const [name, value] of pairs) if (!isCharsetField(name)) fields.add(name, value);
  const control = fields.cut(controlNames);
  if (fields.size() === 0) throw emptySubmission();
  return textSubmission(form, fields, control, null, false);
}

/** Whether, but for white space, the first and last byte are a pair of brackets of JSON, or `{"` begins it. */
function isJsonLike(bytes: Uint8Array): boolean {
  const isSpace = (byte: number | undefined) => byte === 0x20 || (byte! >= 0x09 && byte! <= 0x0d);
  let [start, end] = [0, bytes.length - 1];
  while (isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end])) end -= 1;
  const [first, last] = [bytes[start], bytes[end]];
  let second = start + 1;
  while (isSpace(bytes[second])) second += 1;
  if (first === 0x7b && bytes[second] === 0x22) return true;
  return (first === 0x7b && last === 0x7d) || (first === 0x5b && last === 0x5d);
}

/** The names and values of a urlencoded body without bytes beyond ASCII. Throws `invalid` for bytes that are not valid in the encoding. */
function decodePairs(text: string, charset: Charset): [name: string, value: string][] {
  return text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      const end = equals === -1 ? pair.length : equals;
      const nameBytes = unescaped(pair.slice(0, end));
      const name = decodeField(nameBytes, charset, nameBytes.toString());
      return [name, decodeField(unescaped(pair.slice(end + 1)), charset, name)];
    });
}

/** Number of fields between ampersands; counted before parsing, because there may be half a million. */
function countPairs(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("&", at);
    const end = next === -1 ? text.length : next;
    if (end > at) count += 1;
    at = end + 1;
  }
  return count;
}

const PERCENT = 0x25;
const HEX = Buffer.from("0123456789abcdef");

/** Percent-encodes bytes beyond ASCII, so that URLSearchParams, which takes text, decodes them as they were sent. */
function escaped(bytes: Uint8Array): string {
  if (isAscii(bytes)) return latin1(bytes, bytes.length);
  const text = Buffer.allocUnsafe(3 * bytes.length);
  let length = 0;
  for (const byte of bytes) {
    if (byte < 0x80) text[length++] = byte;
    else {
      text[length++] = PERCENT;
      text[length++] = HEX[byte >> 4]!;
      text[length++] = HEX[byte & 15]!;
    }
  }
  return latin1(text, length);
}

/** The bytes of a name or value; broken escapes stay as they are. */
function unescaped(text: string): Buffer {
  // `unescape` reads an escape as a byte, and `%u` as an escape that forms do not have.
  return Buffer.from(unescape(text.replaceAll("+", " ").replaceAll("%u", "%25u")), "latin1");
}

function latin1({ buffer, byteOffset }: Uint8Array, length: number): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

function bodyTooLarge(): AppError {
  return overLimit("the body is", LIMITS.body);
}
