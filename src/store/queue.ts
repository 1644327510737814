import { AppError } from "../base/errors.ts";

/** The error of a write that is refused because too many wait. */
export function busy(): AppError {
  return new AppError("unavailable", "the server is busy: too many writes wait for its disk", {
    retryAfter: 1,
  });
}

/** The error of a write whose sender disconnected before its commit began. */
export function abandoned(): AppError {
  return new AppError("invalid", "the connection closed before anything was stored");
}
