/** Limits of one evaluation, so that no rule can block a process. */

/** Operations; one on a text over 1,024 characters counts one more for every 16 characters. */
export const MAX_STEPS = 20_000;
/** Elements of a list that an operation creates. */
export const MAX_ELEMENTS = 1000;
/** Characters of a text that an operation creates. */
export const MAX_CHARACTERS = 64 * 1024;

/** Characters of a text that cost one operation to hash, join or read as a number; texts up to `SHORT` cost none. */
const HASHED_A_STEP = 16;
export const SHORT = 1024;
/** Elements of a list that cost one operation to go through. */
const ELEMENTS_A_STEP = 64;

/** Operations left to the current evaluation. Evaluations are synchronous: one runs at a time. */
let left = 0;

export function grant(steps: number): void {
  left = steps;
}

/** Operations that the last evaluation left; fewer than none where it exceeded its limit. */
export function remaining(): number {
  return left;
}

/** Ends an evaluation that takes too long or too much. */
export function beyond(): never {
  throw new RangeError();
}

/** Counts operations: whole ones of a number that may be none. */
export function pay(steps: number): void {
  if ((left -= Math.floor(steps)) < 0) beyond();
}

/** Counts elements, or members of an object, that are gone through. */
export function payForElements(length: number): void {
  pay(length / ELEMENTS_A_STEP);
}

export function payForText(length: number): void {
  if (length > SHORT) pay(length / HASHED_A_STEP);
}

/** Counts a value of a context by its size, since the operation that takes it may go through all of it. */
export function paidRead(value: unknown): unknown {
  if (typeof value === "string") payForText(value.length);
  else if (Array.isArray(value)) payForElements(value.length);
  return value;
}

/** Characters of a value's text; a list counts each element as often as it holds it. Throws `RangeError` past the limit. */
export function lengthOf(value: unknown, before = 0): number {
  let length = before + (typeof value === "string" ? value.length : 1);
  if (length > MAX_CHARACTERS) beyond();
  if (!Array.isArray(value)) return length;
  payForElements(value.length);
  for (const each of value) length = lengthOf(each, length);
  return length;
}
