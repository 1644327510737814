import { HTTPException } from "hono/http-exception";
import { AppError, type ErrorCode } from "../base/errors.ts";

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  gone: 410,
  conflict: 409,
  // RFC 6585, 3: the same request with a header may succeed.
  unconfirmed: 428,
  unapproved: 428,
  outdated: 409,
  too_large: 413,
  unsupported: 415,
  // RFC 9110, 15.5.21: the request is well-formed, but what it says is not accepted.
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
} as const satisfies Record<ErrorCode, number>;

type ErrorStatus = (typeof STATUS)[ErrorCode] | 405 | 500;

/** An error as an answer may show it. `status` is 500 for a bug, whose message appears only in the log. */
export type Shown = {
  status: ErrorStatus;
  code: ErrorCode | "internal";
  message: string;
  /** The message without text that the caller chose. */
  plain: string;
  reason: string | null;
  hint: string | null;
  /** Errors by field of a submission; null for any other error. */
  errors: AppError["errors"];
  headers: Record<string, string>;
};

/** Receives errors and refusals for the log and the metrics. */
export type Report = {
  /** Writes a bug, or the cause behind an `unavailable`, to the log, with the id of its request. */
  error: (error: unknown, request?: Request) => void;
  /** Counts a refusal or failure by its reason. */
  refused: (reason: Shown["code"]) => void;
  /** Counts a submission that is spam, by the reason. */
  spam: (reason: string) => void;
  /** Logs a mistake of a page that only its owner can fix. */
  warn?: (text: string) => void;
};

/** Refusals of the object storage that the operator of the server can change, and the caller cannot. */
const OF_THE_SERVER = new Set<string | null>(["storage-credentials", "storage-forbidden"]);

/** Returns how to answer an error. Counts it, and logs bugs and `unavailable` errors. */
export function showError(error: unknown, report: Report, request: Request): Shown {
  if (error instanceof HTTPException && error.status === 400) {
    const broken = new AppError("invalid", "the body is not valid JSON", { cause: error });
    return showError(broken, report, request);
  }
  if (!(error instanceof AppError)) {
    report.error(error, request);
    report.refused("internal");
    const message = "internal error";
    return {
      status: 500,
      code: "internal",
      message,
      plain: message,
      reason: null,
      hint: null,
      errors: null,
      headers: {},
    };
  }
  if (error.code === "forbidden" && OF_THE_SERVER.has(error.reason)) {
    const message = "the object storage is unavailable";
    const unavailable = new AppError("unavailable", message, { cause: error, retryAfter: 5 });
    return showError(unavailable, report, request);
  }
  if (error.code === "unavailable") report.error(error, request);
  report.refused(error.code);
  return {
    status: STATUS[error.code],
    code: error.code,
    message: error.message,
    plain: error.plain,
    reason: error.reason,
    hint: error.hint,
    errors: error.errors,
    headers: error.retryAfter === null ? {} : retryAfter(error.retryAfter),
  };
}

/** `Retry-After`, readable by scripts of other origins too. */
function retryAfter(seconds: number): Record<string, string> {
  return { "Retry-After": String(seconds), "Access-Control-Expose-Headers": "Retry-After" };
}
