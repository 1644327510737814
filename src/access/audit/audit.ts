import type { ClockAndRandom } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Page } from "../../base/pages.ts";
import { type Acting, type Caller, authorOf } from "../caller.ts";
import { requireScope, requireScopeSomewhere, visibleProjects } from "../rights.ts";
import {
  type AuditEntry,
  type AuditEvent,
  type AuditFilter,
  type NewAuditEntry,
  SYSTEM,
  entryOf,
} from "./entry.ts";
import type { AuditStore } from "./audit-store.ts";

/** The part of the app that reads and writes the audit log. */
export type AuditApp = ClockAndRandom & { store: AuditStore };

type RecordingApp = { now: () => number; store: { audit: Pick<AuditStore["audit"], "append"> } };

/** The actor of everything that formflag does by itself. */
export const ITSELF: Acting = { name: SYSTEM, type: "system" };

/** The same as the maker of changes, whose rights nothing takes away. */
export const BY_ITSELF = { ...ITSELF, verify: async () => {} };

/** Entries that are read or removed in one step. */
const STEP = 500;

/** Records what an actor is about to do and changes nothing in the store, such as an export. */
export async function recordEvent(app: RecordingApp, caller: Acting, event: AuditEvent): Promise<void> {
  await app.store.audit.append([entryOf(event, authorOf(caller, app.now()))]);
}

type Filter = Omit<AuditFilter, "projects"> & { project?: string | undefined };

/** Selects what the caller may see of the audit log. Throws `forbidden`. */
function visible(caller: Caller, { project, ...filter }: Filter): AuditFilter {
  if (project === undefined) {
    requireScopeSomewhere(caller, "admin");
    return { ...filter, projects: visibleProjects(caller, "admin") };
  }
  requireScope(caller, "admin", { project });
  return { ...filter, projects: [project] };
}

/** Newest first: at most `limit` entries with ids below `before`. Throws `forbidden`. */
export async function listAudit(
  app: AuditApp,
  caller: Caller,
  { limit, before, ...filter }: Filter & { limit: number; before?: number | undefined },
): Promise<Page<AuditEntry>> {
  return app.store.audit.page({ ...visible(caller, filter), limit, before });
}

/** As {@link AuditStore} counts the entries that the caller may see. Throws `forbidden`. */
export async function countAudit(
  app: AuditApp,
  caller: Caller,
  filter: Filter,
): Promise<ReadonlyMap<string, number>> {
  return app.store.audit.counts(visible(caller, filter));
}

/** The entries that a filter selects, oldest first, up to the newest there is. Throws `forbidden`. */
export function exportAudit(
  app: AuditApp,
  caller: Caller,
  filter: Filter,
): AsyncGenerator<AuditEntry[], void> {
  const selected = visible(caller, filter);
  return (async function* () {
    await caller.verify();
    for (let after = 0; ;) {
      const { items, more } = await app.store.audit.after({ ...selected, limit: STEP, after });
      if (items.length > 0) yield items;
      if (!more) return;
      after = items.at(-1)!.id;
      await caller.verify();
    }
  })();
}

/** Sign-ins that fail, of which a process records so many a minute: anyone can cause them. */
const FAILURES_PER_MINUTE = 60;

const failures = new WeakMap<object, { minute: number; count: number; omitted: number }>();

/** Records that a sign-in failed, or a second factor at an act; `who` is a user who exists, else null. */
export async function recordFailure(
  { store, now }: RecordingApp,
  {
    action = "session.fail",
    object = null,
    ...failure
  }: Pick<NewAuditEntry, "who" | "address" | "details"> & Partial<Pick<NewAuditEntry, "action" | "object">>,
): Promise<void> {
  const at = now();
  const minute = Math.floor(at / 60_000);
  let state = failures.get(store);
  if (!state) failures.set(store, (state = { minute, count: 0, omitted: 0 }));
  if (state.minute !== minute) Object.assign(state, { minute, count: 0 });
  if (state.count >= FAILURES_PER_MINUTE) {
    state.omitted += 1;
    return;
  }
  state.count += 1;
  const { omitted } = state;
  state.omitted = 0;
  const more = omitted > 0 ? { omitted } : {};
  try {
    await store.audit.append([
      {
        ...failure,
        at,
        type: "user",
        action,
        project: null,
        object,
        details: { ...failure.details, ...more },
      },
    ]);
  } catch (error) {
    // The sign-in fails for a reason of its own, which is what its user has to know.
    if (!(error instanceof AppError)) throw error;
  }
}
