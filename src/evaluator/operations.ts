import { converted, onElements, onList, truthy } from "./code.ts";
import { LIMITS, lengthOf, payForText } from "./steps.ts";

export const not = onElements(([value]) => !truthy(value));
export const isTruthy = onElements(([value]) => truthy(value));

const joined = converted((values: readonly unknown[]) => {
  let length = 0;
  for (const each of values) length = lengthOf(each, length);
  payForText(length);
  let text = "";
  for (const each of values) text += typeof each === "string" ? each : [each].join("");
  return text;
}, null);

export const cat = onElements(joined);

/** As in PHP, a negative length leaves out characters at the end. */
const part = converted((values: readonly unknown[]) => {
  const [text, from, length] = values as [unknown, number, number];
  const rest = String(text).slice(from);
  return length === undefined ? rest : rest.slice(0, length);
}, null);

export const substr = onList(part);

export const merge = onList((values) => {
  let elements = 0;
  for (const each of values) if (Array.isArray(each)) elements += each.length;
  if (elements > LIMITS.elements) throw new RangeError("an operation makes too long a list");
  return values.flat();
});

/** Numbers combined from the left, beginning with `first` or, without it, the first of them. */
function combined(combine: (a: number, b: number) => number, first?: number) {
  return (values: readonly unknown[]): number => {
    const [start = Number.NaN, ...rest] =
      first === undefined ? values.map(numberOf) : [first, ...values.map(numberOf)];
    return rest.reduce((a, b) => combine(a, b), start);
  };
}

function numberOf(value: unknown): number {
  return typeof value === "object" && value !== null ? Number.NaN : Number(value);
}

const subtracted = combined((a, b) => a - b);

export const plus = onElements(combined((a, b) => a + b, 0));
export const minus = onElements((values) =>
  values.length === 1 ? -numberOf(values[0]) : subtracted(values),
);
export const times = onList(combined((a, b) => a * b, 1));
export const divided = onList(combined((a, b) => a / b));
export const modulo = onList(combined((a, b) => a % b));
export const least = onList(combined((a, b) => Math.min(a, b)));
export const most = onList(combined((a, b) => Math.max(a, b)));
