import type { AccessStore } from "./access/store.ts";
import type { DocumentsApp } from "./documents/store.ts";
import type { DatabaseStore } from "./maintenance/store.ts";

/**
 * What the product needs of a database. Each method is one transaction, durable when its promise fulfils. Methods that
 * name a thing throw `not_found` where it is missing, unless they return undefined for it; all throw `unavailable` where
 * the database is locked, full or read-only. Times are milliseconds since 1970. A `list` holds everything, a `page` no
 * more than about `MAX_PAGE_BYTES`.
 */
export type Store = DocumentsApp["store"] & AccessStore & DatabaseStore;

/** What every operation of the product is given: clock, randomness, the slices of the store, blobs, notes. */
export type App = Omit<DocumentsApp, "store"> & { store: Store };
