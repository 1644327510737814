import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { AppError, systemCode } from "../base/errors.ts";

/** Codes of a library for an answer of the provider that is no token: it is not right now, or not set up right. */
const OF_PROVIDER = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_REQUEST_PROTOCOL_FORBIDDEN",
  "OAUTH_PARSE_ERROR",
  "OAUTH_WWW_AUTHENTICATE_CHALLENGE",
]);

/** Codes of a person who refused (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6). */
const OF_PERSON = new Set(["access_denied", "interaction_required", "login_required", "consent_required"]);

/**
 * The error of a library as one of the product: `forbidden` if the person or the provider refused, `invalid` for a state,
 * a code or a token that is wrong, `unavailable` for a provider that does not answer as it should. The causes of those of the
 * library hold codes and tokens, and are left out.
 */
export function oidcRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // The library wraps the errors of requests of our own.
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  if (error instanceof AuthorizationResponseError) {
    const named = codeIn(error.error);
    if (OF_PERSON.has(named))
      return new AppError("forbidden", `the identity provider refused the sign-in (${named})`);
    return unavailable(`the identity provider could not sign you in (${named})`);
  }
  if (error instanceof ResponseBodyError) {
    const named = codeIn(error.error);
    if (named === "invalid_grant")
      return wrong(
        "the identity provider does not accept the code: it was used already, or has expired",
        named,
      );
    return unavailable(`the identity provider refused this server (${named})`);
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return unavailable("the identity provider refused this server");
  const code = systemCode(error);
  if (error instanceof ClientError || /^ERR_J[WO]/.test(code)) {
    const text = `${code} ${error instanceof Error ? innermost(error) : ""}`.trim();
    if (!OF_PROVIDER.has(code) && code !== "")
      return wrong("what the identity provider sent is not valid for this sign-in", text);
    return unavailable("the identity provider does not answer as it should", text);
  }
  const text = error instanceof Error ? `${error.name}: ${code || error.message}` : "unknown";
  return unavailable("the identity provider cannot be reached", text);
}

/** The error for an answer that is wrong. */
export function wrong(message: string, cause: string): AppError {
  return new AppError("invalid", message, { reason: "oidc-token", cause: new Error(cause) });
}

/** The error for a provider that does not do as it should. */
export function unavailable(message: string, cause?: string): AppError {
  return new AppError("unavailable", message, {
    reason: "oidc-provider",
    ...(cause && { cause: new Error(cause) }),
  });
}

/** The message of the error behind others; libraries put values in causes, not in messages. */
function innermost(error: Error): string {
  let [current, depth] = [error, 0];
  while (current.cause instanceof Error && depth < 5) [current, depth] = [current.cause, depth + 1];
  return current.message.slice(0, 200);
}

/** An error code as RFC 6749 has it; others may hold anything. */
function codeIn(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : "unknown";
}
