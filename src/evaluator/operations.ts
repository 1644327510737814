import {
  Constant,
  type Operation,
  type Run,
  converted,
  onElements,
  onList,
  runOf,
  truthy,
  unusable,
} from "./code.ts";
import { LIMITS, lengthOf, pay, payForText } from "./steps.ts";

/** The operation `if`: condition, value, condition, value, …, and what is left where no condition holds. */
export const branch: Operation = (args, compiler) => {
  if (!Array.isArray(args)) return unusable(args, compiler);
  const codes = args.map(compiler.compile);
  const runs = codes.map(runOf);
  const [condition, value, otherwise] = runs as [Run, Run, Run];
  // Its condition counts, unless it is a constant.
  if (runs.length === 3 && !(codes[0] instanceof Constant))
    return (data, frame) => (truthy(condition(data, frame)) ? value : otherwise)(data, frame);
  const last = runs.length - 1;
  return (data, frame) => {
    pay(1);
    for (let at = 0; at < last; at += 2)
      if (truthy(runs[at]!(data, frame))) return runs[at + 1]!(data, frame);
    return last % 2 === 0 ? runs[last]!(data, frame) : null;
  };
};

/** The first value that decides, or the last one. */
function deciding(decides: (value: unknown) => boolean): Operation {
  return (args, compiler) => {
    if (!Array.isArray(args)) return unusable(args, compiler);
    const runs = args.map((each) => runOf(compiler.compile(each)));
    return (data, frame) => {
      pay(1);
      let value: unknown = null;
      for (const run of runs) if (decides((value = run(data, frame)))) break;
      return value;
    };
  };
}

export const or = deciding(truthy);
export const and = deciding((value) => !truthy(value));

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

/** A comparison of two texts; null for anything else. */
function ofTexts(holds: (text: string, part: string) => boolean): Operation {
  return onList((values) => {
    const [text, part] = values;
    return values.length === 2 && typeof text === "string" && typeof part === "string"
      ? holds(text, part)
      : null;
  });
}

export const startsWith = ofTexts((text, part) => text.startsWith(part));
export const endsWith = ofTexts((text, part) => text.endsWith(part));
