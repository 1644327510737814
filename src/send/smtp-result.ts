import type { NodemailerError } from "nodemailer";
import type { Attempt } from "../delivery/attempt.ts";
import { oneLine } from "../delivery/text.ts";

/** Replies that ask for another login, whatever the command (RFC 4954, 6). */
const LOGIN_REPLIES: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** The reply to a message that is larger than the server accepts (RFC 1870, 6). */
const TOO_LARGE = 552;

/**
 * The result of a send that failed. A final reply (5yz) to the recipient or to the content ends a delivery. Everything else
 * is retried: also a refused login and a refused address of the operator, which last until the operator corrects them.
 * Wherever the server repeats them, `secrets` are removed, and the `recipient`, who may be a stranger: errors are logged.
 */
export function failedAttempt(
  error: NodemailerError,
  secrets: readonly string[],
  recipient: string | null = null,
): Attempt {
  const isFinal = isRefused(error) || isTooLarge(error);
  const isTargetDown = !isFinal && (!isAboutMessage(error) || error.responseCode === 421);
  return {
    outcome: isFinal ? "refused" : "retry",
    code: error.responseCode ?? null,
    error: describe(error, secrets, recipient),
    retryAfter: null,
    isTargetDown,
  };
}

/** Whether the content was refused, so that a smaller message may be accepted. */
export function isContentRefused(error: NodemailerError): boolean {
  return isTooLarge(error) || (error.command === "DATA" && isRefused(error));
}

function isRefused(error: NodemailerError): boolean {
  return isAboutMessage(error) && (error.responseCode ?? 0) >= 500;
}

/** Whether the server answered the recipient or the content, rather than the connection, the login or the operator. */
function isAboutMessage({ command, responseCode }: NodemailerError): boolean {
  return (command === "RCPT TO" || command === "DATA") && !LOGIN_REPLIES.has(responseCode ?? 0);
}

/** Also without a reply: a message above the size that the server announces is not sent. */
function isTooLarge({ command, code, responseCode }: NodemailerError): boolean {
  if (command !== "MAIL FROM") return false;
  return responseCode === TOO_LARGE || (code === "EMESSAGE" && responseCode === undefined);
}

/** `RCPT TO: 550 5.1.1 No such user`, or what went wrong before there was a reply. */
function describe(error: NodemailerError, secrets: readonly string[], recipient: string | null): string {
  const { command, response, message } = error;
  const hasStep = command !== undefined && command !== "CONN" && command !== "API";
  const text = response !== undefined && hasStep ? `${command}: ${response}` : message;
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), text);
  return oneLine(recipient === null ? safe : without(safe, recipient), 200);
}

/** A text in which an address, in whatever case, is replaced. */
function without(text: string, address: string): string {
  return text.replaceAll(new RegExp(RegExp.escape(address), "gi"), "[recipient]");
}
