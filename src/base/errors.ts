/** Errors that a caller can cause. `http/errors.ts` maps a code to a status, `cli/main.ts` to an exit code. */
export const ERROR_CODES = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  "gone",
  "conflict",
  "unconfirmed",
  // A change that others have to approve first.
  "unapproved",
  // A proposed change that would now do something else.
  "outdated",
  "too_large",
  "unsupported",
  "unprocessable",
  "rate_limited",
  "unavailable",
  // RFC 8628, 3.5: the answers to a login that waits for its approval.
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One thing that is wrong with a submission: `email`, `required`, "email is required". */
export type FieldError = {
  field: string;
  code: string;
  /** A sentence in English. */
  message: string;
  /** The field as a page may name it: empty for the submission as a whole, and for a name of the sender's choosing. */
  label: string;
  /** The requirement of the code, as texts: a number, the allowed values, a format. */
  limit: readonly string[];
};

/** The fault of a field, under the name that the sender gave it. */
export function fieldFault(field: string, message: string): FieldError {
  return { field, code: "invalid", message, label: field, limit: [] };
}

type Details = {
  /** Distinguishes the cases of one code, for programs: `form-exists`. */
  reason?: string | undefined;
  /** The message without text that the caller chose, for a page that a link or a form can open in any browser. */
  plain?: string | undefined;
  /** Advice on fixing it, in one sentence. */
  hint?: string | undefined;
  /** The problems with each field of a submission. */
  errors?: readonly FieldError[] | undefined;
  /** Seconds after which the same request may succeed. */
  retryAfter?: number | undefined;
  cause?: unknown;
};

/**
 * An error that a caller can cause, with a message written for that caller: what was wrong and what to do.
 * Every other error is a bug and is shown as "internal error".
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly reason: string | null;
  readonly plain: string;
  readonly hint: string | null;
  readonly errors: readonly FieldError[] | null;
  readonly retryAfter: number | null;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.reason = details.reason ?? null;
    this.plain = details.plain ?? message;
    this.hint = details.hint ?? null;
    this.errors = details.errors ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

/** The code of an error of the system or the runtime, such as `ENOENT`; empty for any other error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Whether what a call reads exists: false for `not_found`. Throws any other error. */
export async function isFound(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return false;
    throw error;
  }
}

/** The stack of an error and of its causes, for a log. */
export function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? stack : `${stack}\ncaused by ${stackOf(error.cause)}`;
}
