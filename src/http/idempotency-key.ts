import { AppError } from "../base/errors.ts";

const MAX_KEY = 255;

/**
 * The key in a header `Idempotency-Key`, with or without the quotes of draft-ietf-httpapi-idempotency-key-header; null
 * without a header. Throws `invalid` unless it is 1 to 255 characters of printable ASCII.
 */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const text = headers.get("idempotency-key");
  if (text === null) return null;
  const key = text.startsWith('"') ? unquoted(text) : text;
  if (key !== undefined && key.length <= MAX_KEY && /^[ -~]+$/.test(key)) return key;
  throw new AppError(
    "invalid",
    `the header Idempotency-Key is 1 to ${MAX_KEY} characters of printable ASCII, with or without quotes around them`,
  );
}

/** The content of a string of structured fields (RFC 9651, 3.3.3); undefined for any other text. */
function unquoted(text: string): string | undefined {
  return /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]!.replaceAll(/\\(.)/g, "$1");
}
