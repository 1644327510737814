/** Lets what else waits on this thread go first: an export may be long, and flags are read meanwhile. */
export function othersFirst(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
