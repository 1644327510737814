import { AppError } from "../../base/errors.ts";
import { fieldLabel, quoted } from "../../forms/intake/fields.ts";
import { parseHeader } from "../headers.ts";

/** The label of an encoding (https://encoding.spec.whatwg.org/#names-and-labels); null is UTF-8, the default. */
export type Charset = string | null;

/** A text in messages: as the sender named it, and without text of the sender. */
type Subject = readonly [shown: string, plain: string];

/** Keeps a byte order mark, which is part of a field. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The encoding that a content type names. */
export function charsetOf(contentType: string): Charset {
  return parseHeader(contentType).parameters.get("charset")?.trim() || null;
}

/** Whether browsers fill a field of this name with the encoding of a form (HTML, 4.10.21.4; RFC 7578, 4.6). */
export function isCharsetField(name: string): boolean {
  return name.length === 9 && name.toLowerCase() === "_charset_";
}

/** Whether a form in this encoding is in UTF-8. Throws `invalid` for an encoding that is not known or that no form can have. */
export function isUtf8(charset: Charset): boolean {
  if (charset === null) return true;
  const { encoding } = decoderOf(charset, ["the form", "the form"]);
  if (!encoding.startsWith("utf-16")) return encoding === "utf-8";
  // HTML, 4.10.21.5: the separators of a form are single bytes.
  throw new AppError("invalid", "a form cannot be in UTF-16: send UTF-8");
}

/** The text of bytes, with a byte order mark. Throws `invalid` if they are not valid in the encoding. */
export function decodeText(bytes: Uint8Array, charset: Charset, subject: () => Subject): string {
  const decoder = charset === null ? utf8 : decoderOf(charset, subject());
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    const [shown, plain] = subject();
    const [broken, plainly] =
      charset === null
        ? [NOT_UTF8, NOT_UTF8]
        : [`valid ${quoted(charset)} text`, "valid text in its encoding"];
    throw new AppError("invalid", `${shown} is not ${broken}`, {
      plain: `${plain} is not ${plainly}`,
      reason: charset === null ? "not-utf-8" : undefined,
      cause,
    });
  }
}

/** As {@link decodeText}, for the value of a field. */
export function decodeField(bytes: Uint8Array, charset: Charset, name: string): string {
  return decodeText(bytes, charset, () => [`the field ${quoted(name)}`, fieldLabel(name)]);
}

const NOT_UTF8 =
  'UTF-8: a page needs accept-charset="utf-8" on its form, and a program names its encoding in the content type';

/** Throws `invalid` for an encoding that is not known. */
function decoderOf(charset: string, [shown, plain]: Subject): TextDecoder {
  try {
    return new TextDecoder(charset as Bun.Encoding, { fatal: true, ignoreBOM: true });
  } catch (cause) {
    const unknown = "is in an encoding that is not known";
    throw new AppError("invalid", `${shown} ${unknown}, ${quoted(charset)}: send UTF-8`, {
      plain: `${plain} ${unknown}: send UTF-8`,
      cause,
    });
  }
}
