import { AppError } from "../../base/errors.ts";

/** Codes of errors of OAuth (RFC 6749, 4.1.2.1 and 5.2; RFC 7591, 3.2.2; RFC 8707, 2). */
export const OAUTH_ERRORS = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "invalid_scope",
  "invalid_target",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "access_denied",
] as const;

export type OAuthError = (typeof OAUTH_ERRORS)[number];

/** The code in OAuth of an error; undefined for any other error. */
export function errorOf(error: unknown): OAuthError | undefined {
  return error instanceof AppError ? OAUTH_ERRORS.find((each) => each === error.reason) : undefined;
}

/** A refusal with its code in OAuth as the reason. */
export function refusal(code: OAuthError, message: string): AppError {
  return new AppError("invalid", message, { reason: code });
}

/** The refusal of a resource that is not the one of this server, if that is known (RFC 8707, 2). */
export function wrongTarget(resource: string | undefined): AppError {
  return refusal("invalid_target", `the resource of this server is ${resource ?? "at another address"}`);
}
