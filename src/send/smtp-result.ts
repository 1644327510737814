import type { NodemailerError } from "nodemailer";
import type { Attempt } from "../delivery/attempt.ts";
import { oneLine } from "../delivery/text.ts";

/** Replies that ask for another login, whatever the command (RFC 4954, 6). */
const LOGIN_REPLIES: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** The reply to a message that is larger than the server accepts (RFC 1870, 6). */
const TOO_LARGE = 552;

/** The result of a message to what is not an address. */
export const NO_ADDRESS: Attempt = {
  outcome: "refused",
  code: null,
  error: "the recipient is not one plain mail address",
  retryAfter: null,
  isTargetDown: false,
};

/** The conversation with a server that ended with an error. */
type Conversation = {
  /** The last command, as {@link Transport} has it. */
  command: string | null;
  helo: string | null;
  /** Milliseconds without a byte from the server after which it counts as silent. */
  silent: number;
  secrets: readonly string[];
  recipient?: string;
};

/**
 * The result of a send that failed. A final reply (5yz) to the recipient or to the content ends a delivery. Everything else
 * is retried: also a refused login, greeting or address of the operator, which last until the operator corrects them.
 * Wherever the server repeats them, `secrets` are removed, and the `recipient`, who may be a stranger: errors are logged.
 */
export function failedAttempt(error: NodemailerError, conversation: Conversation): Attempt {
  const isFinal = isRefused(error) || isTooLarge(error);
  const isTargetDown = !isFinal && (!isAboutMessage(error) || error.responseCode === 421);
  return {
    outcome: isFinal ? "refused" : "retry",
    code: error.responseCode ?? null,
    error: describe(error, conversation),
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
function isAboutMessage({ command, responseCode, response }: NodemailerError): boolean {
  if (command !== "RCPT TO" && command !== "DATA") return false;
  return !LOGIN_REPLIES.has(responseCode ?? 0) && !isAboutHelo(response);
}

/** Many servers refuse the name in the greeting only with the recipient. */
function isAboutHelo(response: string | undefined): boolean {
  return /\b(?:helo|ehlo)\b/i.test(response ?? "");
}

/** Also without a reply: a message above the size that the server announces is not sent. */
function isTooLarge({ command, code, responseCode }: NodemailerError): boolean {
  if (command !== "MAIL FROM") return false;
  return responseCode === TOO_LARGE || (code === "EMESSAGE" && responseCode === undefined);
}

function describe(error: NodemailerError, conversation: Conversation): string {
  const { secrets, recipient } = conversation;
  const safe = secrets.reduce(
    (text, secret) => text.replaceAll(secret, "[secret]"),
    textOf(error, conversation),
  );
  return oneLine(recipient === undefined ? safe : without(safe, recipient), 200);
}

/** `RCPT TO: 550 5.1.1 No such user`, or what went wrong before there was a reply. */
function textOf(
  { command: step = "CONN", code, response, responseCode, message, timeoutType }: NodemailerError,
  { command, helo, silent }: Conversation,
): string {
  if (step === "EHLO" || step === "HELO") return `${step} ${helo ?? "[127.0.0.1]"}: ${response ?? message}`;
  if (step !== "CONN" && step !== "API") return response === undefined ? message : `${step}: ${response}`;
  // The library names no command where the server is silent, or ends the connection.
  const place = command === null ? "" : `${command}: `;
  if (responseCode !== undefined) return `${place || "connection refused: "}${response}`;
  if (timeoutType === "SOCKET_TIMEOUT") return `${place}no answer within ${silent / 1000} s`;
  return code === "ECONNECTION" ? place + message : message;
}

/** A text in which an address, in whatever case, is replaced. */
function without(text: string, address: string): string {
  return text.replaceAll(new RegExp(RegExp.escape(address), "gi"), "[recipient]");
}
