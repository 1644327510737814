import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { NewOf } from "../../base/kinds/kinds.ts";
import { MAX_HEADER, MAX_HEADERS, MAX_TEMPLATE } from "../limits.ts";
import { PLAIN_REQUEST, type TargetHeader, type TargetRequest } from "../target.ts";
import { METHODS, type REQUEST } from "./request-card.ts";

export type GivenRequest = NewOf<typeof REQUEST>;

/** A token of RFC 9110, 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII, spaces, and the other characters of Latin-1. */
const VALUE = /^[\x20-\x7e\xa0-\xff]+$/;

/** Headers that belong to the connection, to the body or to the signature. */
const REFUSED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|trace(?:parent|state)|content-.*|webhook-.*)$/i;

/**
 * The request of a target after a change; null for a POST of the event. Throws `invalid` for headers and a body that cannot be
 * sent, and for any of them where the kind of target gets messages for people. No error has the value of a header.
 */
export async function requestAfter(
  { kind }: { kind: string },
  given: GivenRequest,
  before: TargetRequest | null,
): Promise<TargetRequest | null> {
  const { method, headers, body } = before ?? PLAIN_REQUEST;
  const request: TargetRequest = {
    method: given.method ?? method,
    headers: given.headers ? headersIn(given.headers, headers) : headers,
    body: given.body === undefined ? body : given.body,
  };
  if (Bun.deepEquals(request, PLAIN_REQUEST)) return null;
  if (kind !== "webhook")
    throw new AppError(
      "invalid",
      `a target of ${kind} gets a message for people: a method, headers and a body are for webhooks`,
      { reason: "target-request" },
    );
  if (request.body !== null && request.body !== body)
    (await import("./json-body.ts")).checkJsonBody(request.body);
  return request;
}

/** Whether the headers that are given, if any, keep a value that was stored. */
export function keepsHeaders({ headers }: GivenRequest, before: TargetRequest | null): boolean {
  if (before === null || before.headers.length === 0) return false;
  return headers === undefined || headers.some((line) => !line.includes(":"));
}

/** The headers of lines; one without a colon keeps the value that is stored. Throws `invalid`. */
function headersIn(lines: readonly string[], stored: readonly TargetHeader[]): TargetHeader[] {
  if (lines.length > MAX_HEADERS) throw headerFault(`a target has at most ${MAX_HEADERS} headers`);
  const headers = lines.map((line, index) => headerIn(line, index + 1, stored));
  const names = headers.map(({ name }) => name.toLowerCase());
  const repeated = headers.find((_, index) => names.indexOf(names[index]!) < index);
  if (repeated) throw headerFault(`the header ${repeated.name} is given twice`);
  return headers;
}

function headerIn(line: string, number: number, stored: readonly TargetHeader[]): TargetHeader {
  const colon = line.indexOf(":");
  const name = (colon === -1 ? line : line.slice(0, colon)).trim();
  if (!NAME.test(name) || colon > MAX_HEADER)
    throw headerFault(`header ${number} is a name, a colon and a value, such as X-Api-Key: abc`);
  if (REFUSED.test(name))
    throw headerFault(`the header ${name} is set by formflag or by the connection: leave it out`);
  if (colon === -1) {
    const kept = stored.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (!kept) throw headerFault(`the header ${name} has no value yet: write it as ${name}: value`);
    return kept;
  }
  const value = line.slice(colon + 1).replaceAll(/^[ \t]+|[ \t]+$/g, "");
  if (value === "") throw headerFault(`the header ${name} is empty: give it a value, or leave it out`);
  if (value.length > MAX_HEADER)
    throw headerFault(`the value of the header ${name} has more than ${MAX_HEADER} characters`);
  if (!VALUE.test(value))
    throw headerFault(`the value of the header ${name} has a line end or a character outside of Latin-1`);
  return { name, value };
}

function headerFault(message: string): AppError {
  return new AppError("invalid", message, { reason: "target-header" });
}

/** Whether a value, as parsed JSON, is the request of a target as it is stored. */
export function isTargetRequest(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { method, headers, body } = value;
  return (
    METHODS.some((each) => each === method) &&
    Array.isArray(headers) &&
    headers.length <= MAX_HEADERS &&
    headers.every(isHeader) &&
    (body === null || (typeof body === "string" && body.length <= MAX_TEMPLATE))
  );
}

function isHeader(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, value: text } = value;
  const isName = typeof name === "string" && NAME.test(name) && !REFUSED.test(name);
  return isName && typeof text === "string" && text.length <= MAX_HEADER && VALUE.test(text);
}
