import { systemCode } from "../base/errors.ts";

/** Bytes of an answer that are read. */
const MAX_ANSWER = 64 * 1024;

/** The start of an answer's body; what was read where the rest does not arrive, since the status counts. */
export async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of body ?? []) {
      parts.push(part);
      if ((size += part.byteLength) >= MAX_ANSWER) break;
    }
  } catch (error) {
    if (systemCode(error) === "" && !(error instanceof DOMException)) throw error;
  }
  return Buffer.concat(parts).toString();
}

/** The object of a text in JSON, and an empty one for any other text. */
export function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
