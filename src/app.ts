import type { AccessStore } from "./access/store.ts";
import type { ProposalsApp, DocumentsApp } from "./documents/store.ts";
import { addLazily } from "./base/once.ts";
import type * as Assignments from "./experiments/sent-assignments.ts";
import type * as FlagReader from "./flags/reads/flag-reader.ts";
import type { Measuring } from "./experiments/measuring.ts";
import type * as Experiments from "./experiments/measuring.ts";
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
export type App = Omit<DocumentsApp, "store" | "measuring"> & {
  store: Store;
  measuring: Measuring;
};

/**
 * Connects areas that do not know each other: flags that open forms, variants that come with submissions, and
 * experiments that count submissions. Each is made when it is first used.
 */
export function connectAreas<T extends Omit<App, keyof FormPorts>>(
  parts: T,
): T & Omit<FormPorts, "measuring"> & Pick<App, "measuring"> {
  return addLazily(parts, {
    flags: () => (require("./flags/reads/flag-reader.ts") as typeof FlagReader).createFlagReader(parts),
    assignments: () =>
      (require("./experiments/sent-assignments.ts") as typeof Assignments).createAssignmentReader(parts),
    measuring: () => (require("./experiments/measuring.ts") as typeof Experiments).createMeasuring(parts),
  });
}
