import { AppError } from "../../src/base/errors.ts";

/** What a promise is refused with; undefined if it fulfils. Anything but an `AppError` is thrown. */
async function refusal(promise: Promise<unknown>): Promise<AppError | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The code with which a promise is refused. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return (await refusal(promise))?.code ?? "none";
}

/** The same as `code reason`. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await refusal(promise);
  return error ? [error.code, error.reason].filter(Boolean).join(" ") : "none";
}

/** The same as `code: message`. */
export async function errorOf(promise: Promise<unknown>): Promise<string> {
  const error = await refusal(promise);
  return error ? `${error.code}: ${error.message}` : "none";
}
