import { AppError, type ErrorCode, stackOf } from "../base/errors.ts";

/** The outcome of a call in the form that is sent to another thread: an error would lose its class. */
export type Outcome =
  | { ok: true; value: unknown }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      reason: string | null;
      hint: string | null;
      retryAfter: number | null;
      /** Name and message of what caused it, for the log. */
      cause: string | undefined;
    }
  | { ok: false; code: "bug"; message: string };

/** The outcome of a call that failed with an error. */
export function failureOf(error: unknown): Outcome {
  if (error instanceof AppError) {
    const { code, message, reason, hint, retryAfter } = error;
    const cause = error.cause === undefined ? undefined : `${error.cause as Error}`;
    return { ok: false, code, message, reason, hint, retryAfter, cause };
  }
  return { ok: false, code: "bug", message: stackOf(error) };
}

/** The value of an outcome, or a promise that rejects with the error of the call. */
export function resultOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  if (outcome.code === "bug") return Promise.reject(new Error(outcome.message));
  const { code, message, reason, hint, retryAfter, cause } = outcome;
  return Promise.reject(
    new AppError(code, message, {
      reason: reason ?? undefined,
      hint: hint ?? undefined,
      retryAfter: retryAfter ?? undefined,
      cause,
    }),
  );
}
