/** Runs `work` while no other thread does, by a lock in the first word. It has to take less than a microsecond. */
export function locked<T>(words: Int32Array, work: () => T): T {
  while (Atomics.compareExchange(words, 0, 0, 1) !== 0) Atomics.wait(words, 0, 1, 1);
  try {
    return work();
  } finally {
    Atomics.store(words, 0, 0);
    Atomics.notify(words, 0, 1);
  }
}
