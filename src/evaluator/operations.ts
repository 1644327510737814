import { type Operations, converted, isObject, onElements, onList, truthy } from "./code.ts";
import { MAX_ELEMENTS, beyond, lengthOf, payForText } from "./steps.ts";

/** Numbers combined from the left, beginning with `first`. */
function combined(combine: (a: number, b: number) => number, ...first: number[]) {
  return (values: readonly unknown[]): number => {
    const numbers = [...first, ...values.map(numberOf)];
    return numbers.length === 0 ? Number.NaN : numbers.reduce((a, b) => combine(a, b));
  };
}

function numberOf(value: unknown): number {
  if (typeof value === "string") payForText(value.length);
  return isObject(value) ? Number.NaN : Number(value);
}

export const OPERATIONS: Operations = {
  "!": onElements(([value]) => !truthy(value)),
  "!!": onElements(([value]) => truthy(value)),
  "+": onElements(combined((a, b) => a + b, 0)),
  "-": onElements((values) =>
    values.length === 1 ? -numberOf(values[0]) : combined((a, b) => a - b)(values),
  ),
  "*": onList(combined((a, b) => a * b, 1)),
  "/": onList(combined((a, b) => a / b)),
  "%": onList(combined((a, b) => a % b)),
  min: onList(combined((a, b) => Math.min(a, b))),
  max: onList(combined((a, b) => Math.max(a, b))),
  cat: onElements(
    converted((values: readonly unknown[]) => {
      let length = 0;
      for (const each of values) length = lengthOf(each, length);
      payForText(length);
      let text = "";
      for (const each of values) text += typeof each === "string" ? each : [each].join("");
      return text;
    }, null),
  ),
  /** As in PHP, a negative length leaves out characters at the end. */
  substr: onList(
    converted((values: readonly unknown[]) => {
      const [text, from, length] = values as [unknown, number, number];
      payForText(lengthOf(text));
      const rest = String(text).slice(from);
      return length === undefined ? rest : rest.slice(0, length);
    }, null),
  ),
  merge: onList((values) => {
    let elements = 0;
    for (const each of values) if (Array.isArray(each)) elements += each.length;
    if (elements > MAX_ELEMENTS) beyond();
    return values.flat();
  }),
};
