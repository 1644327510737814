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

/** Sends items together, and if that fails one by one: an item that cannot be sent is refused alone. */
export function sendEach<T>(
  items: readonly T[],
  send: (items: readonly T[]) => void,
  refuse: (item: T, error: unknown) => void,
): void {
  try {
    return send(items);
  } catch (error) {
    if (items.length === 1) return refuse(items[0]!, error);
  }
  for (const each of items) sendEach([each], send, refuse);
}
