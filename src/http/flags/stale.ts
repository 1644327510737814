import { type Watch, notInMemory } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";

/** Header of an answer from memory while the database does not answer: the seconds since it last did. */
const STALE = "X-Formflag-Stale";

/** Handling of reads while the database is unreachable. */
export type Staleness = {
  /** Throws `unavailable` while the database does not answer, before an answer that something does not exist. */
  requireFresh: () => void;
  /** Adds the header to an answer from memory. Throws `unavailable` if that is too old. */
  mark: (answer: Response) => Response;
};

/** `maxStale` is the age in milliseconds up to which answers from memory are sent; null for any age. */
export function createStaleness(watch: Watch, maxStale: number | null): Staleness {
  return {
    requireFresh() {
      if (watch.staleFor() > 0) throw notInMemory();
    },
    mark(answer) {
      const age = watch.staleFor();
      if (age === 0) return answer;
      if (maxStale !== null && age > maxStale) {
        throw new AppError("unavailable", "the database does not answer, and what is in memory is too old", {
          retryAfter: 1,
        });
      }
      answer.headers.set(STALE, (age / 1000).toFixed(3));
      answer.headers.append("Access-Control-Expose-Headers", STALE);
      return answer;
    },
  };
}
