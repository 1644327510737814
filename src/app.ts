import type { Blobs } from "./blobs.ts";
import type { Random } from "./keys.ts";
import type { Store } from "./store.ts";

/** What new things are made with. */
export type Clockwork = {
  /** Milliseconds since 1970. */
  now: () => number;
  random: Random;
};

/** What every operation of the product is given. */
export type App = Clockwork & {
  store: Store;
  blobs: Blobs;
  /** Ids of submissions, each greater than the one before. */
  nextId: () => string;
};
