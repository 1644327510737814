/** Returns after other work of the event loop, so that a long operation does not delay reads of flags. */
import { clock } from "./clock.ts";
export function yieldToEventLoop(): Promise<void> {
  return new Promise(clock.soon);
}

/** Milliseconds after which a long operation makes way for reads of flags. */
const TURN_MS = 3;

/** Yields to the event loop if the turn of a long operation is over. */
export type Turns = () => Promise<void> | undefined;

export function createTurns(): Turns {
  let start = clock.steady();
  return () => {
    if (clock.steady() - start < TURN_MS) return undefined;
    return yieldToEventLoop().then(() => void (start = clock.steady()));
  };
}
