import { AppError } from "./errors.ts";
import { own } from "./shapes/own.ts";

export const KiB = 1024;

export const MiB = 1024 * KiB;

export const GiB = 1024 * MiB;

/** Bytes as a person writes them: `1 MB`, `1.5 MB`, `300 bytes`. A MB is 1,048,576 bytes. */
export function formatBytes(bytes: number): string {
  const units = [
    ["GB", 1024 * MiB],
    ["MB", MiB],
    ["KB", KiB],
  ] as const;
  for (const [unit, size] of units) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(bytes % size === 0 ? 0 : 1))} ${unit}`;
  }
  return `${bytes} byte${bytes === 1 ? "" : "s"}`;
}

/**
 * The inverse of {@link formatBytes}: `10MB`, `1.5 MB`, `500k`, `2048`. Returns undefined if the text is not a size, and
 * for a number below 1 KB without a unit: `10` is meant as 10 MB.
 */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(i?b|bytes?)?$/i.exec(text.trim());
  if (!match) return undefined;
  const number = Number(match[1]);
  if (!match[2] && !match[3] && number > 0 && number < KiB) return undefined;
  const unit = own({ "": 1, k: KiB, m: MiB, g: 1024 * MiB }, match[2]?.toLowerCase() ?? "");
  return unit === undefined ? undefined : Math.floor(number * unit);
}
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of bytes in UTF-8, without a byte order mark. `subject` names them in the error: "the body". Throws `invalid` for
 * bytes that are not UTF-8, which decoding would replace by U+FFFD.
 */
export function utf8Text(bytes: Uint8Array, subject: string): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw notUtf8(bytes, subject, cause);
  }
}

/** The error `invalid` for bytes that are not UTF-8, by their first four: UTF-16 and UTF-32 begin with a byte order mark. */
export function notUtf8(start: Uint8Array, subject: string, cause: unknown): AppError {
  const mark = Buffer.from(start.subarray(0, 4)).toString("hex");
  // The mark of UTF-32 begins with that of UTF-16.
  const name = /^(?:fffe0000|0000feff)/.test(mark) ? "UTF-32" : /^(?:fffe|feff)/.test(mark) ? "UTF-16" : null;
  const fault = name === null ? "is not UTF-8" : `is ${name}, not UTF-8`;
  return new AppError("invalid", `${subject} ${fault}`, {
    cause,
    hint: "convert it to UTF-8",
  });
}
