import { parseExactly } from "../../src/base/json/exact-json.ts";
import { isDeeper } from "../../src/base/json.ts";
import { type Shape, findMismatch, hasNone } from "./shape.ts";

/** Maximum levels of JSON in an answer: more than the deepest rule or payload has. */
const MAX_DEPTH = 256;

/** The JSON of an answer, or what is wrong with it, in words that follow the name of the server. */
export function parseAnswer(
  bytes: Uint8Array,
  shape: Shape,
): { value: unknown } | { wrong: string; cause?: unknown } {
  let value: unknown;
  try {
    value = isDeeper(bytes, MAX_DEPTH) ? undefined : parseExactly(new TextDecoder().decode(bytes));
  } catch (cause) {
    return { wrong: "sent no JSON", cause };
  }
  const at = hasNone(value, shape) ? "" : findMismatch(value, shape);
  if (at !== null) return { wrong: at === "" ? "sent other JSON" : `sent no usable ${at}` };
  return { value };
}
