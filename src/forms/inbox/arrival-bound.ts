import type { FormsApp } from "../store.ts";

/** Arrivals that are known, of which all others are older: as many of the last ones may be deleted during a walk. */
const KNOWN = 1000;

/** The last place whose submissions are part of a walk. */
export type ArrivalBound = {
  readonly place: number;
  /** Returns whether a page that was read up to `place` is right; if it is not, `place` is smaller now. */
  holds: () => Promise<boolean>;
};

/**
 * A bound at what has arrived until now. SQLite gives the place of the last submission to the next arrival once it is deleted,
 * so that the bound is the last one that is still there: all above it has arrived since.
 */
export async function boundOfArrivals({ store: { submissions } }: FormsApp): Promise<ArrivalBound> {
  const known = await submissions.lastArrivals(KNOWN);
  let [at, place] = [0, known[0]?.place ?? 0];
  return {
    get place() {
      return place;
    },
    async holds() {
      const before = place;
      for (; at < known.length; at += 1) {
        const { id, place: its } = known[at]!;
        place = its;
        if ((await submissions.arrival(id))?.place === its) break;
        place = its - 1;
      }
      return place === before;
    },
  };
}
