import { isObject } from "../base/json.ts";

/** The values of one field in two states; the field is null if the states are compared as a whole. */
export type Difference = { field: string | null; before: unknown; after: unknown };

/** Whether two values of a field count as equal. */
export type IsSame = (before: unknown, after: unknown, field: string) => boolean;

/**
 * The differences between two states of one thing: each field that differs, in the order of `before`, or the whole
 * states if either is not an object.
 */
export function differencesOf(before: unknown, after: unknown, isSame: IsSame = isSameJson): Difference[] {
  if (!isObject(before) || !isObject(after)) return [{ field: null, before, after }];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((each) => !isSame(each.before, each.after, each.field));
}

/** Whether a field has no value in a recorded state; null is a valid payload. */
export function isUnset(value: unknown, field: string): boolean {
  return value === undefined || value === "" || (value === null && field !== "payload");
}

function isSameJson(before: unknown, after: unknown, field: string): boolean {
  if (isUnset(before, field) || isUnset(after, field))
    return isUnset(before, field) === isUnset(after, field);
  return JSON.stringify(before) === JSON.stringify(after);
}
