import { isoTime } from "../clock.ts";
import type { Card, Field, Kind, NewOf, RecordOf, ShownOf } from "./kinds.ts";

/** A new record with the defaults of its card. A field without a value and a default has to be set by the caller. */
export function recordOf<C extends Card>(card: C, given: NewOf<C>): RecordOf<C> {
  const fields = Object.entries<Field>(card).map(([name, field]) => {
    const value = (given as Record<string, unknown>)[name] ?? field.default;
    return [name, isTime(field.kind) && typeof value === "string" ? Date.parse(value) : value];
  });
  return Object.fromEntries(fields) as RecordOf<C>;
}

/** The fields of a stored record as the admin API shows them. */
export function shownOf<C extends Card>(card: C, record: RecordOf<C>): ShownOf<C> {
  const fields = Object.entries<Field>(card).map(([name, { kind }]) => {
    const value: unknown = record[name];
    return [name, isTime(kind) && typeof value === "number" ? isoTime(value) : value];
  });
  return Object.fromEntries(fields) as ShownOf<C>;
}

const isTime = ({ is }: Kind) => is === "expiry" || is === "time";
