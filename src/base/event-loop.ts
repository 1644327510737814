/** Returns after other work of the event loop, so that a long operation does not delay reads of flags. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Milliseconds after which a long operation makes way for reads of flags. */
const TURN_MS = 3;

/** Yields to the event loop where the turn of a long operation is over. */
export type Turns = () => Promise<void> | undefined;

export function createTurns(): Turns {
  let start = performance.now();
  return () => {
    if (performance.now() - start < TURN_MS) return undefined;
    return yieldToEventLoop().then(() => void (start = performance.now()));
  };
}
