import {
  type Code,
  type Compiler,
  Constant,
  type List,
  type Operation,
  type Run,
  converted,
  onList,
  runOf,
} from "./code.ts";
import { attributeOf, payForSearch, textIn } from "./paths.ts";
import { MEMBERS_OF, lengthOf, pay, payForText } from "./steps.ts";

/** JavaScript converts values of any type as JSON logic does. */
type Holds = (a: never, b: never) => boolean;

/**
 * Each argument compared with the next one. A value that cannot be converted equals nothing, and is neither less nor greater
 * than anything. What the arguments read counts; where all are constants, the comparison does.
 */
function comparison(holds: Holds, otherwise = false): Operation {
  const compare = converted((values: readonly unknown[]) => {
    for (const each of values) if (typeof each === "object" && each !== null) payForText(lengthOf(each));
    for (let at = 1; at < values.length; at += 1)
      if (!holds(values[at - 1] as never, values[at] as never)) return false;
    return true;
  }, otherwise);
  const onAny = onList(compare);
  return (args, compiler) => {
    if (!Array.isArray(args) || args.length !== 2) return onAny(args, compiler);
    const [left, right] = args.map(compiler.compile) as [Code, Code];
    const [a, b] = [runOf(left), runOf(right)];
    const isConstant = left instanceof Constant && right instanceof Constant;
    return (data, frame) => {
      if (isConstant) pay(1);
      const [x, y] = [a(data, frame), b(data, frame)];
      return typeof x === "object" || typeof y === "object" ? compare([x, y]) : holds(x as never, y as never);
    };
  };
}

/**
 * The same for most conditions, an attribute and a text: `holds` compares them if the attribute is a text too, and `general` is
 * the operation on anything else.
 */
function ofTexts(general: Operation, holds: (value: string, text: string) => boolean): Operation {
  return (args, compiler) => {
    const run = general(args, compiler) as Run;
    const [path, text] = Array.isArray(args) && args.length === 2 ? (args as unknown[]) : [];
    const name = attributeOf(path);
    if (name === undefined || typeof text !== "string") return run;
    return (data, frame) => {
      const value = textIn(data, name);
      if (value === undefined) return run(data, frame);
      pay(1);
      payForText(value.length);
      return holds(value, text);
    };
  };
}

// oxlint-disable-next-line eqeqeq
const loosely = comparison((a, b) => a == b);
// oxlint-disable-next-line eqeqeq
const unlike = comparison((a, b) => a != b, true);
export const equal = ofTexts(loosely, (value, text) => value === text);
export const unequal = ofTexts(unlike, (value, text) => value !== text);
export const same = ofTexts(
  comparison((a, b) => a === b),
  (value, text) => value === text,
);
export const different = ofTexts(
  comparison((a, b) => a !== b),
  (value, text) => value !== text,
);
export const less = comparison((a, b) => a < b);
export const atMost = comparison((a, b) => a <= b);
export const greater = comparison((a, b) => a > b);
export const atLeast = comparison((a, b) => a >= b);

/** A question about two texts; null for anything else. */
function aboutTexts(holds: (text: string, part: string) => boolean): Operation {
  const general = onList((values) => {
    const [text, part] = values;
    const areTexts = values.length === 2 && typeof text === "string" && typeof part === "string";
    return areTexts ? holds(text, part) : null;
  });
  return ofTexts(general, holds);
}

export const startsWith = aboutTexts((text, part) => text.startsWith(part));
export const endsWith = aboutTexts((text, part) => text.endsWith(part));

/** Elements from which on a list is searched as a set. */
const MANY = 16;

/** The operation `in`: whether a list has an element, or a text a part. */
export const within: Operation = (args, compiler) => {
  if (!Array.isArray(args) || args.length !== 2) return inAny(args, compiler);
  const list = listOfMembers(compiler.resolve(args[1]), compiler);
  if (!list) return inAny(args, compiler);
  const item = runOf(compiler.compile(args[0]));
  return (data, frame) => {
    const value = item(data, frame);
    pay(1);
    if (typeof value === "object" && value !== null) payForSearch(value);
    return list.includes(value);
  };
};

/** A list that a rule has as a constant, or that is the list of a segment; undefined for any other. */
function listOfMembers(list: unknown, { members }: Compiler): List | undefined {
  const path = typeof list === "object" && list !== null && "var" in list ? list.var : undefined;
  if (typeof path === "string" && path.startsWith(MEMBERS_OF))
    return members?.get(path.slice(MEMBERS_OF.length));
  if (!Array.isArray(list) || list.some((each) => typeof each === "object" && each !== null))
    return undefined;
  if (list.length < MANY) return list;
  const set = new Set(list);
  return { includes: (value) => set.has(value) };
}

const inAny = onList(
  converted((values: readonly unknown[]) => {
    const [item, list] = values;
    if (typeof item === "object" || !Array.isArray(list)) payForSearch(values);
    if (typeof list === "string") return list.includes(item as string);
    return Array.isArray(list) && list.includes(item);
  }, false),
);
