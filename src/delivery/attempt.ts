/** Most characters of {@link Attempt.error}. */
const MAX_ERROR = 200;

/** Seconds that a receiver can ask to wait for at most. */
export const MAX_RETRY_AFTER = 86_400;

/** The result of one attempt to deliver, whatever the kind of target. */
export type Attempt = {
  /**
   * - `delivered`: the receiver accepted it.
   * - `retry`: it may succeed later.
   * - `gone`: the receiver wants nothing any more (HTTP 410), so the target is switched off.
   * - `refused`: it can never succeed, and the target stays (5xx to RCPT or DATA of SMTP; no HTTP answer).
   */
  outcome: "delivered" | "retry" | "gone" | "refused";
  /** The status of the HTTP answer or the reply code of SMTP; null if there was no answer. */
  code: number | null;
  /** Why it failed, at most 200 characters without secrets or the path of a URL; null for `delivered`. */
  error: string | null;
  /**
   * The first line of what a receiver said with a 4xx, without parts of its URL. It may quote what was sent, so that it is shown
   * with the delivery and never logged.
   */
  answer?: string;
  /** Whole seconds that the receiver asked to wait for, 0 to {@link MAX_RETRY_AFTER}; null if it did not. */
  retryAfter: number | null;
  /** Whether the target can take nothing at present, so that its other deliveries should wait too. */
  isTargetDown: boolean;
};

/** An attempt that the receiver accepted with this code. */
export function delivered(code: number): Attempt {
  return { outcome: "delivered", code, error: null, retryAfter: null, isTargetDown: false };
}

/** An attempt that failed without an answer; `error` is shortened to 200 characters. */
export function unanswered(error: string, isTargetDown: boolean): Attempt {
  return { outcome: "retry", code: null, error: shortError(error), retryAfter: null, isTargetDown };
}

/** Why an attempt failed, at most 200 characters, with what the receiver said. */
export function failureOf({ error, answer }: Attempt): string | null {
  return error === null || answer === undefined ? error : shortError(`${error}: ${answer}`);
}

/** A text of at most 200 characters for {@link Attempt.error}. */
function shortError(text: string): string {
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR - 1).toWellFormed()}…` : text;
}
