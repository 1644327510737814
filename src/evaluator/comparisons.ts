import {
  type Code,
  type Compiler,
  type List,
  type Operation,
  type Operations,
  type Run,
  converted,
  isConstant,
  isObject,
  onList,
  runOf,
} from "./code.ts";
import { attributeOf, memberIn, payForSearch } from "./paths.ts";
import { lengthOf, pay, payForText } from "./steps.ts";

type Holds<V> = (a: V, b: V) => boolean;

/** A condition of most rules: an attribute that is a text, and a constant one. `general` is the operation on anything else. */
function ofTexts(general: Operation, holds: Holds<string>): Operation {
  return (args, compiler) => {
    const run = general(args, compiler) as Run;
    const [path, text] = pairOf(args) ?? [];
    const name = attributeOf(path);
    if (name === undefined || typeof text !== "string") return run;
    return (data, level) => {
      const value = memberIn(data, name);
      if (typeof value !== "string") return run(data, level);
      pay(1);
      payForText(value.length);
      return holds(value, text);
    };
  };
}

function pairOf(args: unknown): unknown[] | undefined {
  return Array.isArray(args) && args.length === 2 ? args : undefined;
}

/**
 * Each argument compared with the next one. JavaScript converts values of any type as JSON logic does. A value that cannot be
 * converted equals nothing, and is neither less nor greater than anything. What the arguments read counts; where all are
 * constants, the comparison does.
 */
function comparison(holds: Holds<never>, otherwise = false): Operation {
  const compare = converted((values: readonly unknown[]) => {
    for (const each of values) if (isObject(each)) payForText(lengthOf(each));
    return values.every((each, at) => at === 0 || holds(values[at - 1] as never, each as never));
  }, otherwise);
  const onAny = onList(compare);
  return ofTexts((args, compiler) => {
    const pair = pairOf(args);
    if (!pair) return onAny(args, compiler);
    const [left, right] = pair.map(compiler.compile) as [Code, Code];
    const [a, b] = [runOf(left), runOf(right)];
    const areConstant = isConstant(left) && isConstant(right);
    return (data, level) => {
      if (areConstant) pay(1);
      const [x, y] = [a(data, level), b(data, level)];
      return typeof x === "object" || typeof y === "object" ? compare([x, y]) : holds(x as never, y as never);
    };
  }, holds as Holds<unknown>);
}

/** A question about two texts; null for anything else. */
function aboutTexts(holds: Holds<string>): Operation {
  const general = onList((values) => {
    const areTexts = values.length === 2 && values.every((each) => typeof each === "string");
    return areTexts ? holds(values[0] as string, values[1] as string) : null;
  });
  return ofTexts(general, holds);
}

/** Elements from which on a list is searched as a set. */
const MANY = 16;

/** The operation `in`: whether a list has an element, or a text a part. */
const within: Operation = (args, compiler) => {
  const pair = pairOf(args);
  const list = pair && readList(compiler.resolve(pair[1]), compiler);
  if (!list) return inAny(args, compiler);
  const item = runOf(compiler.compile(pair[0]));
  return (data, level) => {
    const value = item(data, level);
    pay(1);
    if (isObject(value)) payForSearch(value);
    return list.includes(value);
  };
};

/** A list that is known before an evaluation: a constant, or one of a server. */
function readList(list: unknown, { knownList }: Compiler): List | undefined {
  if (!isObject(list)) return undefined;
  if (!Array.isArray(list)) return knownList?.(list);
  if (list.some(isObject)) return undefined;
  if (list.length < MANY) return list;
  const set = new Set<unknown>(list);
  return { includes: (value) => set.has(value) };
}

const inAny = onList(
  converted((values: readonly unknown[]) => {
    const [item, list] = values;
    if (typeof item === "object" || !Array.isArray(list)) payForSearch(values);
    return (typeof list === "string" || Array.isArray(list)) && list.includes(item as never);
  }, false),
);

export const COMPARISONS: Operations = {
  // oxlint-disable-next-line eqeqeq
  "==": comparison((a, b) => a == b),
  // oxlint-disable-next-line eqeqeq
  "!=": comparison((a, b) => a != b, true),
  "===": comparison((a, b) => a === b),
  "!==": comparison((a, b) => a !== b),
  "<": comparison((a, b) => a < b),
  "<=": comparison((a, b) => a <= b),
  ">": comparison((a, b) => a > b),
  ">=": comparison((a, b) => a >= b),
  starts_with: aboutTexts((text, part) => text.startsWith(part)),
  ends_with: aboutTexts((text, part) => text.endsWith(part)),
  in: within,
};
