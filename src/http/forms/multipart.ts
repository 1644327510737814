import { own } from "../../base/shapes/own.ts";
import { AppError } from "../../base/errors.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../../forms/limits.ts";
import { createByteBuffer } from "../byte-buffer.ts";
import { type Charset, decodeText } from "./charset.ts";
import { parseHeader } from "../headers.ts";

/** A piece of a multipart body, in the order of arrival. */
type MultipartEvent =
  | { kind: "part"; part: Part }
  /** Bytes of the current part; a view, valid until the next chunk is pushed. */
  | { kind: "data"; bytes: Uint8Array }
  | { kind: "end" };

/** A part with the names that its headers have in UTF-8, until {@link decodePart} knows the encoding of the form. */
export type Part = {
  name: string;
  /** Null for a text field. */
  fileName: string | null;
  /** The part's Content-Type, or null. */
  type: string | null;
  /** The headers as they came. */
  headers: Uint8Array;
};

export type MultipartParser = {
  /** The events that these bytes complete. Throws `invalid` for a malformed body, `too_large` past a limit. */
  push(chunk: Uint8Array): Generator<MultipartEvent>;
  /** Throws `invalid` unless the closing boundary has come. */
  finish(): void;
};

const CR = 13;
/** Most bytes of white space between a boundary and the end of its line. */
const MAX_LINE_PADDING = 100;
const HEADERS_END = Buffer.from("\r\n\r\n");
/** Puts U+FFFD in place of broken bytes. */
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** The boundary of a multipart/form-data content type. Throws `invalid` without one (RFC 2046, 5.1.1). */
export function boundaryOf(contentType: string): string {
  const boundary = parseHeader(contentType).parameters.get("boundary");
  if (boundary === undefined || boundary === "" || boundary.length > 200) {
    throw new AppError(
      "invalid",
      "the content type multipart/form-data names no boundary: let the client set it",
    );
  }
  return boundary;
}

/**
 * Parses multipart/form-data (RFC 7578) as it arrives. It buffers at most a header section or the start of a delimiter at
 * the end of a chunk. It is not a library, because the bytes of a file are found with the runtime's own `indexOf` and
 * passed on without a copy or a stream in between.
 */
export function createMultipartParser(boundary: string): MultipartParser {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  // The body may start with the first delimiter, so a line end is put before it.
  const held = createByteBuffer();
  held.append(Buffer.from("\r\n"));
  let state: "preamble" | "delimiter" | "headers" | "start" | "data" | "epilogue" = "preamble";
  let padding = 0;

  /** Counts bytes outside any part. */
  const skip = (bytes: number) => {
    padding += bytes;
    if (padding > LIMITS.multipartPadding) throw malformed("it has too many bytes outside of its parts");
  };

  function* push(chunk: Uint8Array): Generator<MultipartEvent> {
    const isHeld = held.size() > 0;
    if (isHeld) held.append(chunk);
    const data = isHeld ? held.bytes() : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    for (;;) {
      if (state === "preamble" || state === "data") {
        const next = data.indexOf(delimiter, at);
        const end = next === -1 ? possibleDelimiter(data, at, delimiter) : next;
        if (state === "preamble") skip(end - at);
        else if (end > at) yield { kind: "data", bytes: data.subarray(at, end) };
        at = end;
        if (next === -1) break;
        if (state === "data") yield { kind: "end" };
        at += delimiter.length;
        state = "delimiter";
      } else if (state === "delimiter") {
        const lineEnd = data.indexOf("\r\n", at);
        const length = (lineEnd === -1 ? data.length : lineEnd) - at;
        const rest = data.toString("latin1", at, at + Math.min(length, MAX_LINE_PADDING));
        if (rest.startsWith("--")) {
          at += 2;
          state = "epilogue";
          continue;
        }
        // White space may stand between a boundary and the end of its line.
        const expected = lineEnd === -1 ? /^(?:-|[ \t]*\r?)$/ : /^[ \t]*$/;
        if (length > MAX_LINE_PADDING || !expected.test(rest))
          throw malformed("a boundary is followed by other text");
        if (lineEnd === -1) break;
        // The line end is kept: in a part without headers, it is half of the blank line that ends them.
        at = lineEnd;
        state = "headers";
      } else if (state === "headers") {
        const end = endOfHeaders(data, at);
        if (end === -1) break;
        // Copied, since the encoding of a form may follow its names.
        const headers = new Uint8Array(data.subarray(Math.min(at + 2, end), end));
        yield { kind: "part", part: readPart(headers, lenient.decode(headers)) };
        at = end + 2;
        state = "start";
      } else if (state === "start") {
        // In a part without content, the blank line may be the beginning of the next delimiter (RFC 2046, 5.1.1).
        const line = data.subarray(at, at + delimiter.length);
        if (line.length < delimiter.length && delimiter.subarray(0, line.length).equals(line)) break;
        if (!delimiter.equals(line)) at += 2;
        state = "data";
      } else {
        skip(data.length - at);
        at = data.length;
        break;
      }
    }
    if (isHeld) held.drop(at);
    else held.append(data.subarray(at));
  }

  return {
    push,
    finish() {
      if (state !== "epilogue") throw malformed("it ends before its closing boundary");
    },
  };
}

/** Index of the line end before the blank line behind headers that begin at `at`; -1 before it has come. Throws `too_large`. */
function endOfHeaders(data: Buffer, at: number): number {
  const end = data.indexOf(HEADERS_END, at);
  if ((end === -1 ? data.length - HEADERS_END.length + 1 : end) - at <= LIMITS.partHeaders) return end;
  throw new AppError(
    "too_large",
    `the headers of a part are longer than the limit of ${LIMITS.partHeaders} bytes`,
  );
}

/** Index from `at` on of bytes that may start a delimiter which the next chunk completes; the end of data without any. */
function possibleDelimiter(data: Buffer, at: number, delimiter: Buffer): number {
  let start = Math.max(at, data.length - delimiter.length + 1);
  for (;;) {
    start = data.indexOf(CR, start);
    if (start === -1) return data.length;
    if (delimiter.subarray(0, data.length - start).equals(data.subarray(start))) return start;
    start += 1;
  }
}

const NAMES = ["the name of a field or file", "the name of a field or file"] as const;

/** The part as its headers read in the encoding of its form. Throws `invalid` if they are not valid in that. */
export function decodePart({ headers }: Part, charset: Charset): Part {
  return readPart(
    headers,
    decodeText(headers, charset, () => NAMES),
  );
}

function readPart(bytes: Uint8Array, text: string): Part {
  const headers = new Map<string, string>();
  // A line that begins with white space continues the one before (RFC 5322, 2.2.3).
  for (const line of text.replaceAll(/\r\n(?=[ \t])/g, "").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
    else if (line !== "") throw malformed("a part has a header without a colon");
  }
  const { value, parameters } = parseHeader(headers.get("content-disposition") ?? "");
  const name = parameters.get("name");
  if (value !== "form-data" || name === undefined) throw malformed("a part has no name");
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["binary", "8bit", "7bit"].includes(encoding)) {
    throw new AppError("invalid", "a part is sent in a transfer encoding: send it as it is", {
      hint: "RFC 7578 gave up Content-Transfer-Encoding",
    });
  }
  const extended = extendedValue(parameters.get("filename*"));
  const plain = parameters.get("filename");
  if (parameters.has("filename*") && extended === undefined && plain === undefined) {
    throw malformed("a part has a filename* that is not UTF-8");
  }
  return {
    name: percentDecoded(name),
    fileName: extended ?? (plain === undefined ? null : percentDecoded(plain)),
    type: headers.get("content-type") || null,
    headers: bytes,
  };
}

/** Decodes the three escapes that browsers use in names; they send a percent sign as it is (HTML, 4.10.21.8). */
function percentDecoded(name: string): string {
  const escapes: Record<string, string> = { "%22": '"', "%0d": "\r", "%0a": "\n" };
  return name.replaceAll(/%(?:22|0d|0a)/gi, (escape) => own(escapes, escape.toLowerCase())!);
}

/** The value of a parameter such as `filename*=UTF-8''na%C3%AFve.txt` (RFC 8187), or undefined if it is malformed. */
function extendedValue(value: string | undefined): string | undefined {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value ?? "");
  try {
    return match ? decodeURIComponent(match[1]!) : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function malformed(why: string): AppError {
  return new AppError("invalid", `the multipart body is broken: ${why}`);
}
