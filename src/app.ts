import type { AccessStore } from "./access/store.ts";
import type { ChangesApp, DocumentsApp } from "./documents/store.ts";
import { createAssignmentReader } from "./experiments/sent-assignments.ts";
import { createFlagReader } from "./flags/reads/flag-reader.ts";
import { createMeasuring, type Measuring } from "./experiments/measuring.ts";
import type { ExperimentsStore } from "./experiments/store.ts";
import type { FormPorts } from "./forms/ports.ts";
import type { MembershipsStore } from "./memberships/store.ts";
import type { DatabaseStore } from "./maintenance/store.ts";

/**
 * The database as the product uses it. Each method is one transaction, durable when its promise fulfils. Methods that
 * name a thing throw `not_found` if it is missing, unless they return undefined for it; all throw `unavailable` if the
 * database is locked, full or read-only. Times are milliseconds since 1970. A `list` holds everything, a `page` about
 * `MAX_PAGE_BYTES` at most.
 */
export type Store = ChangesApp["store"] & AccessStore & MembershipsStore & ExperimentsStore & DatabaseStore;

/** Dependencies of every operation: clock, randomness, the slices of the store, blobs, notes. */
export type App = Omit<DocumentsApp, "store" | "measuring"> & { store: Store; measuring: Measuring };

/**
 * Adds to the parts of an app what one area does for another that does not know it: the flags that open forms, the
 * assignments that come with submissions, and what experiments count of these.
 */
export function connectAreas<T extends Omit<App, keyof FormPorts>>(
  parts: T,
): T & Omit<FormPorts, "measuring"> & Pick<App, "measuring"> {
  return Object.assign(parts, {
    flags: createFlagReader(parts),
    assignments: createAssignmentReader(parts),
    measuring: createMeasuring(parts),
  });
}
