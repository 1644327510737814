import { AppError } from "../../src/base/errors.ts";

/** An error in the use of a command, with a hint at what to type. */
export function usage(message: string, hint?: string): AppError {
  return new AppError("invalid", message, { hint });
}
