import { replaceHashing } from "../../support/hashes.ts";

/**
 * What the product asks of other threads of the machine, which take no virtual time: verifications of the runtime. The
 * scheduler waits until none is under way.
 */
const underWay = new Set<Promise<unknown>>();
const SUBTLE = ["digest", "deriveBits", "deriveKey", "importKey", "sign", "verify"] as const;

export async function outsideSettled(): Promise<boolean> {
  if (underWay.size === 0) return false;
  await Promise.allSettled(underWay);
  return true;
}

/** Counts something as work of another thread, which the scheduler waits for. */
export function outside<T>(work: Promise<T>): Promise<T> {
  underWay.add(work);
  const end = () => void underWay.delete(work);
  work.then(end, end);
  return work;
}

/** Replaces the threads of the machine until the result is called: passwords are hashed at once, and cheaply. */
export function replaceThreads(sleep: Sleep): () => void {
  const { subtle } = crypto;
  const own = Object.fromEntries(SUBTLE.map((name) => [name, subtle[name]]));
  for (const name of SUBTLE) {
    const method = (own[name] as (...args: unknown[]) => Promise<unknown>).bind(subtle);
    const counted = (...args: unknown[]) => outside(method(...args));
    Object.defineProperty(subtle, name, { value: counted, configurable: true, writable: true });
  }
  const restoreHashing = replaceHashing(() => sleep(30, "hash"));
  return () => {
    restoreHashing();
    for (const name of SUBTLE) Reflect.deleteProperty(subtle, name);
  };
}

/** Waits in virtual time. */
type Sleep = (ms: number, label: string) => Promise<void>;
