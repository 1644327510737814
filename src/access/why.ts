import { AppError } from "../base/errors.ts";

/** Characters of the reason for a change, `--why` and `X-Why`. */
export const MAX_WHY = 500;

/**
 * The reason for a change, in the words of its author and without spaces around it; undefined for an empty text. Throws
 * `invalid` for a text that is too long, not well-formed, or holds control characters.
 */
export function readWhy(text: string): string | undefined {
  const why = text.trim();
  if (why.length > MAX_WHY)
    throw new AppError("invalid", `the reason for a change has at most ${MAX_WHY} characters`);
  if (/\p{Cc}/u.test(why) || !why.isWellFormed())
    throw new AppError("invalid", "the reason for a change is one line of text without control characters");
  return why === "" ? undefined : why;
}
