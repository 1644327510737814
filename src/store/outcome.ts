import { AppError, type ErrorCode } from "../base/errors.ts";

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
    }
  | { ok: false; code: "bug"; message: string };

/** The outcome of a call that failed with an error. */
export function failureOf(error: unknown): Outcome {
  if (error instanceof AppError) {
    const { code, message, reason, hint, retryAfter } = error;
    return { ok: false, code, message, reason, hint, retryAfter };
  }
  return {
    ok: false,
    code: "bug",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** The value of an outcome, or a promise that rejects with the error of the call. */
export function resultOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  if (outcome.code === "bug") return Promise.reject(new Error(outcome.message));
  const { code, message, reason, hint, retryAfter } = outcome;
  return Promise.reject(
    new AppError(code, message, {
      reason: reason ?? undefined,
      hint: hint ?? undefined,
      retryAfter: retryAfter ?? undefined,
    }),
  );
}
