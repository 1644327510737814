import type { AccessStore } from "./access/store.ts";
import type { ProposalsApp, DocumentsApp } from "./documents/store.ts";
import { createAssignmentReader } from "./experiments/sent-assignments.ts";
import { createFlagReader } from "./flags/reads/flag-reader.ts";
import { createMeasuring, type Measuring } from "./experiments/measuring.ts";
import type { ExperimentsStore } from "./experiments/store.ts";
import type { FormPorts } from "./forms/ports.ts";
import type { MembershipsStore } from "./memberships/store.ts";
import type { DatabaseStore } from "./maintenance/store.ts";

/**
 * The database as the areas see it. Each method is one transaction, durable when its promise fulfils. A method that
 * names a thing throws `not_found` if it is missing, unless it returns undefined for it. Every method throws
 * `unavailable` if the database is locked, full or read-only. Times are milliseconds since 1970. A `list` returns
 * everything; a `page` returns at most about `MAX_PAGE_BYTES`.
 */
export type Store = ProposalsApp["store"] & AccessStore & MembershipsStore & ExperimentsStore & DatabaseStore;

/** Dependencies of every operation: clock, randomness, the slices of the store, blobs, notes. */
export type App = Omit<DocumentsApp, "store" | "measuring"> & { store: Store; measuring: Measuring };

/**
 * Connects areas that do not know each other: flags that open forms, variants that come with submissions, and
 * experiments that count submissions.
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
