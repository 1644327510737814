import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { FEEDBACK_LIMITS } from "../../flags/limits.ts";
import { parseJson, readAll } from "../body.ts";

/** The JSON body of a feedback. Throws `too_large`, `invalid` for invalid JSON, `unsupported` for a compressed body. */
export async function readFeedback(request: Request): Promise<unknown> {
  const tooLarge = () =>
    new AppError("too_large", `a feedback has at most ${formatBytes(FEEDBACK_LIMITS.body)}`);
  return parseJson(await readAll(request, FEEDBACK_LIMITS.body, tooLarge));
}
