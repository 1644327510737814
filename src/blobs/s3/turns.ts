import { MiB } from "../../base/bytes.ts";

/** Requests under way at a time. */
const MAX_REQUESTS = 16;
/** Bytes of bodies under way at a time. */
const MAX_BODIES = 32 * MiB;

/** Begins work with a body of so many bytes in its turn. */
type InTurn = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** Bounds the requests and the bytes of bodies under way, and so the memory. Turns come in the order of the calls. */
export function createTurns(): InTurn {
  const waiting: { bytes: number; begin: () => void }[] = [];
  let requests = 0;
  let bodies = 0;
  const beginNext = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (requests >= MAX_REQUESTS || (bodies > 0 && bodies + next.bytes > MAX_BODIES)) return;
      waiting.shift();
      requests += 1;
      bodies += next.bytes;
      next.begin();
    }
  };
  return async (bytes, work) => {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    waiting.push({ bytes, begin });
    beginNext();
    await promise;
    try {
      return await work();
    } finally {
      requests -= 1;
      bodies -= bytes;
      beginNext();
    }
  };
}
