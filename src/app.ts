import type { Blobs } from "./blobs.ts";
import type { Random } from "./keys.ts";
import type { Store } from "./store.ts";

/** What every operation of the product is given. */
export type App = {
  store: Store;
  blobs: Blobs;
  /** Milliseconds since 1970. */
  now: () => number;
  random: Random;
  /** Ids of submissions, each greater than the one before. */
  nextId: () => string;
};
