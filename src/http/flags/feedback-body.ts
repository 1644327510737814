import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { FEEDBACK_LIMITS } from "../../flags/limits.ts";
import { openBody, parseJson, readAll } from "../body.ts";

/**
 * The JSON body of a feedback. Throws `too_large`, `invalid` for invalid JSON, `unsupported` for a compressed body. A body
 * that is too large is read to its end, so that its sender gets the answer.
 */
export async function readFeedback(request: Request): Promise<unknown> {
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity")
    throw new AppError("unsupported", "the body must not be compressed");
  const body = openBody(request);
  const tooLarge = () =>
    new AppError("too_large", `a feedback has at most ${formatBytes(FEEDBACK_LIMITS.body)}`);
  let bytes: Uint8Array;
  try {
    bytes = await readAll(request, FEEDBACK_LIMITS.body, tooLarge, () => body);
  } catch (error) {
    if (error instanceof AppError && error.code === "too_large") await body.drain();
    throw error;
  }
  return parseJson(bytes);
}
