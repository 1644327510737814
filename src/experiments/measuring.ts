import type { ClockAndRandom } from "../base/clock.ts";
import { createCache, type Versioned, type Watch } from "../base/changes.ts";
import type { SecretStore } from "../access/store.ts";
import type { Measured, MeasuringPort } from "../forms/intake/measured.ts";
import type { FormsApp } from "../forms/store.ts";
import { type Assignments, createAssignmentSource } from "./assignment.ts";
import type { EventBatch, EventsTaken } from "./events.ts";
import { type Live, type LiveIn, type Measure, createMeasure } from "./measure.ts";
import { formOf } from "./metrics.ts";
import { type Measurement, visitorsOf } from "./measurement.ts";
import type { ExperimentsStore } from "./store.ts";

/** A user who got a variant of a flag. */
export type User = { environmentKey: string; flag: string; variant: string; targetingKey: string };

/** Users who are noted in memory and counted together. */
export type Notes = {
  /** Notes that a user got a variant, which `flush` counts. */
  note: (measurement: number, user: User) => void;
  /** Counts what was noted before, and keeps it if that fails. */
  flush: () => Promise<void>;
};

export type Measuring = MeasuringPort &
  Notes & {
    measure: Measure;
    /** Loaded once, with the secret that is in the database. */
    assignments: () => Promise<Assignments>;
    /** Counts events and exposures that were sent, as {@link takeEvents}. */
    take: (batch: EventBatch, idempotencyKey: string | null) => Promise<EventsTaken>;
    /** Counts users who were noted by another process. Repeats change nothing. */
    count: (users: readonly User[]) => Promise<void>;
    /** The measurement that counts the users of a flag, null for none; at once if that is in memory. */
    measurementOf(environmentKey: string, flag: string): number | null | Promise<number | null>;
    /** Called when a user is noted and no other waits to be counted. */
    onNoted: () => void;
  };

type MeasuringApp = Pick<ClockAndRandom, "random"> & {
  watch: Watch;
  store: Versioned & ExperimentsStore & Pick<FormsApp["store"], "forms"> & { secrets: SecretStore };
};

/** A measurement with the bits of its forms. */
type LiveOfForms = Measurement &
  Live & {
    /** By the keys of forms. */
    forms: ReadonlyMap<string, number>;
  };

/** Users who are noted before the next flush, and those who are known to have been noted. */
const MAX_NOTED = 10_000;

/** Returns the counting of an app. It allocates memory when the first visitor arrives. */
export function createMeasuring(app: MeasuringApp): Measuring {
  const assignments = createAssignmentSource(app);
  const find = createCache<ReadonlyMap<string, readonly LiveOfForms[]>>(app.watch, async () => {
    const live = await Promise.all((await app.store.measurements.live()).map((each) => toLive(app, each)));
    return Map.groupBy(live, ({ environmentKey }) => environmentKey);
  });
  const NONE: readonly LiveOfForms[] = [];
  const liveIn: LiveIn<LiveOfForms> = (environmentKey) => {
    const all = find("live");
    return all instanceof Promise
      ? all.then((found) => found?.get(environmentKey) ?? NONE)
      : (all?.get(environmentKey) ?? NONE);
  };

  const measure = createMeasure(liveIn);
  /** A conversion counts after its exposure. The job that counts exposures reports why that fails. */
  const countNoted = () => measuring.flush().catch(() => {});
  const count: Measuring["count"] = async (users) => {
    const { pseudonymOf } = await assignments();
    for (const [environmentKey, own] of Map.groupBy(users, (each) => each.environmentKey)) {
      const occurrences = own.map(({ flag, variant, targetingKey }) => {
        const visitor = pseudonymOf(environmentKey, targetingKey);
        return { visitor, exposure: flag, variant };
      });
      const { measured } = await measure(environmentKey, occurrences);
      if (measured.length > 0) await app.store.measurements.count(measured);
    }
  };
  const measuring: Measuring = {
    assignments,
    count,
    async take(batch, idempotencyKey) {
      const { takeEvents } = await import("./events.ts");
      return takeEvents(app.store, measuring.measure, batch, idempotencyKey);
    },
    async measure(environmentKey, occurrences) {
      const found = await measure(environmentKey, occurrences);
      if (found.measured.some(({ variant }) => variant === null)) await countNoted();
      return found;
    },
    measurementOf(environmentKey, flag) {
      const live = liveIn(environmentKey);
      const idIn = (all: readonly LiveOfForms[]) => all.find((each) => each.flag === flag)?.id ?? null;
      return live instanceof Promise ? live.then(idIn) : idIn(live);
    },
    ...createNotes(count, () => measuring.onNoted()),
    onNoted: () => {},
    conversions(formKey, { environmentKey, pseudonym }) {
      const of = (live: readonly LiveOfForms[]) => {
        const measured = live.flatMap((each): Measured[] => {
          const metrics = each.forms.get(formKey);
          if (metrics === undefined) return [];
          return [{ measurement: each.id, visitor: each.visitorOf(pseudonym), variant: null, metrics }];
        });
        return measured.length === 0 ? measured : countNoted().then(() => measured);
      };
      const live = liveIn(environmentKey);
      return live instanceof Promise ? live.then(of) : of(live);
    },
    async forget(targetingKey) {
      const { pseudonymOf } = await assignments();
      const all = await app.store.measurements.kept();
      const visitors = all.map((each) => ({
        measurement: each.id,
        visitor: visitorsOf(each)(pseudonymOf(each.environmentKey, targetingKey)),
      }));
      if (visitors.length > 0) await app.store.measurements.forget(visitors);
    },
  };
  return measuring;
}

/** Notes users in memory, whom `countUsers` counts. */
export function createNotes(countUsers: Measuring["count"], onNoted: () => void): Notes {
  let noted = new Map<string, User>();
  const isKnown = createKnown();
  let counted = Promise.resolve();
  const count = async () => {
    if (noted.size === 0) return;
    const taken = noted;
    noted = new Map();
    try {
      await countUsers([...taken.values()]);
    } catch (error) {
      noted = new Map([...taken, ...noted]);
      throw error;
    }
  };
  return {
    note(measurement, user) {
      const key = keyOf(measurement, user);
      if (noted.size >= MAX_NOTED || isKnown(key)) return;
      noted.set(key, user);
      if (noted.size === 1) onNoted();
    },
    // One after the other, so that what was taken before is counted too.
    flush: () => (counted = counted.then(count, count)),
  };
}

function keyOf(measurement: number, { variant, targetingKey }: User): string {
  return `${measurement} ${variant} ${targetingKey}`;
}

/** Returns whether a user was noted lately, so that each read of theirs is no write. */
function createKnown(): (key: string) => boolean {
  let known = new Set<string>();
  return (key) => {
    if (known.has(key)) return true;
    if (known.size >= MAX_NOTED) known = new Set();
    known.add(key);
    return false;
  };
}

/** Notes of another thread of a server, which the main thread counts: `send` gives it a user, `flush` makes it count. */
export function createSentNotes(
  send: (measurement: number, user: User) => void,
  flush: Notes["flush"],
): Notes {
  const isKnown = createKnown();
  return {
    note(measurement, user) {
      if (!isKnown(keyOf(measurement, user))) send(measurement, user);
    },
    flush,
  };
}

async function toLive(app: MeasuringApp, measurement: Measurement): Promise<LiveOfForms> {
  const forms = new Map<string, number>();
  for (const [index, metric] of measurement.metrics.entries()) {
    const bit = 2 ** index;
    const form = await formOf(app, measurement.project, metric);
    // Two metrics may name one form in two ways.
    if (form) forms.set(form.key, (forms.get(form.key) ?? 0) | bit);
  }
  return { ...measurement, visitorOf: visitorsOf(measurement), forms };
}
