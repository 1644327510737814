import { MAX_JSON_LEVELS, findInexact, inexactMessage, isDeeper } from "../base/json.ts";

/** The answer to a message that is refused before it is read. */
export type Refusal = {
  jsonrpc: "2.0";
  id: string | number | null;
  error: { code: number; message: string };
};

const [INVALID_REQUEST, NO_METHOD, INVALID_PARAMS] = [-32600, -32601, -32602];
export const PARSE_ERROR = -32700;

/** Whether the JSON of a message has so many levels that reading it fails. */
export function isTooDeep(json: Uint8Array): boolean {
  return isDeeper(json, MAX_JSON_LEVELS);
}

export const TOO_DEEP = `a message has at most ${MAX_JSON_LEVELS} levels`;

/**
 * The refusal of a request whose JSON has a number that parsing would change, as large ids are: it shows the number as it came.
 * Null for any other message.
 */
export function refusalOfNumbers(message: unknown, json: string): Refusal | null {
  const inexact = findInexact(json);
  if (!inexact) return null;
  const path = inexact.steps.join(".").replace(/^params\.arguments\./, "");
  return refusalOf(message, `${path}: ${inexactMessage(inexact.source)}; write it as a text, in quotes`);
}

/** The refusal of a request for the changes of lists: nothing that it would announce ever changes, and its stream would stay open. */
export function refusalOfListening(message: unknown): Refusal | null {
  if ((message as { method?: unknown } | null)?.method !== "subscriptions/listen") return null;
  const words = "this server announces no changes";
  return refusalOf(message, words, NO_METHOD) ?? refusalWithoutId(words);
}

/** Null for a message that expects no answer. */
export function refusalOf(message: unknown, words: string, code = INVALID_PARAMS): Refusal | null {
  const { id } = (message ?? {}) as { id?: unknown };
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  return isId ? { jsonrpc: "2.0", id: id as string | number, error: { code, message: words } } : null;
}

/** The refusal of a message whose id is not known. */
export function refusalWithoutId(message: string, code = INVALID_REQUEST): Refusal {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}
