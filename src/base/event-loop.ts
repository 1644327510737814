/** Returns after other work of the event loop, so that a long operation does not delay reads of flags. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
