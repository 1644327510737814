import { RULE_LIMITS } from "../limits.ts";
import { MemberList } from "../members.ts";
import { ANY_TYPE, COMPARISONS, ELEMENTS, elementsOf, truthy } from "./any-type.ts";
import { type Method, fractionalOf } from "./fractional.ts";
import { Pattern } from "./operands.ts";

/** Characters of a text, and elements of a list, whose search costs about as much as one operation, and elements of a loop. */
const SEARCHED_A_STEP = 1024;
const ELEMENTS_A_STEP = 64;
const LOOPED_A_STEP = 16;
/** Characters of a text that cost one operation to hash, join or read as a number; texts up to `SHORT` cost none. */
const HASHED_A_STEP = 16;
const SHORT = 1024;
/** Steps of a pattern that cost one operation; a character of a text takes at most as many as the pattern is large. */
const STEPS_OF_PATTERN = 32;

/** Marks the operations that the library inlines instead of calling them. */
const ORIGINAL = Symbol.for("json_logic_original");

type Entry = (Method | { method: Method }) & { [ORIGINAL]?: boolean; lazy?: boolean };
type Methods = Record<string, Entry>;

/** The members of json-logic-engine's `LogicEngine` that are used here. */
export type Engine = {
  methods: Methods;
  run: (rule: unknown, context: unknown) => unknown;
  truthy: (value: unknown) => unknown;
};

/** Operations left to the current evaluation and to its request. Evaluations are synchronous: one runs at a time. */
let left = 0;
let leftToRequest = Number.POSITIVE_INFINITY;

/** The operations that are left to the evaluations of a request. */
export type Budget = { steps: number };

export function requestBudget(): Budget {
  return { steps: RULE_LIMITS.requestSteps };
}

/**
 * Runs evaluations that share a budget of `RULE_LIMITS.requestSteps` operations. Evaluations beyond the budget fail.
 */
export function withinRequest<T>(evaluateAll: () => T, budget = requestBudget()): T {
  leftToRequest = budget.steps;
  try {
    return evaluateAll();
  } finally {
    budget.steps = leftToRequest;
    leftToRequest = Number.POSITIVE_INFINITY;
  }
}

/**
 * Limits the cost of a rule, which the library does not, and makes `fractional` choose the same buckets as flagd in
 * other languages. Returns a function that runs a rule, and throws for an operation beyond a limit.
 */
export function guardEngine(engine: Engine): (rule: unknown, context: unknown) => unknown {
  for (const [name, entry] of Object.entries(engine.methods)) {
    const library = typeof entry === "function" ? entry : entry.method;
    const anyType = ANY_TYPE.get(name);
    const bounded = boundedMethod(name, anyType?.(library) ?? library);
    const guarded: Entry =
      typeof entry === "function"
        ? Object.assign(bounded, entry)
        : Object.assign(Object.create(Object.getPrototypeOf(entry)) as object, entry, { method: bounded });
    // Called instead of inlined, so that reads count. Every loop reads its elements, so this bounds inlined loops too.
    if (anyType || READS.has(name)) delete guarded[ORIGINAL];
    // Its arguments are evaluated before it is called, or by it.
    if (COMPARISONS.has(name)) guarded.lazy = false;
    if (name === "fractional") guarded.lazy = true;
    engine.methods[name] = guarded;
  }
  engine.methods[ELEMENTS] = (args) => paidElements(elementsOf(args));
  engine.truthy = truthy;
  return (rule, context) => {
    const granted = Math.min(RULE_LIMITS.steps, leftToRequest);
    left = granted;
    try {
      return boundedText(engine.run(rule, context));
    } finally {
      leftToRequest -= granted - left;
    }
  };
}

/** The limit that the evaluations of this request exceed together; undefined within it. */
export function excessOfRequest(): string | undefined {
  if (leftToRequest >= 0) return undefined;
  return `the rules of this request take more than ${RULE_LIMITS.requestSteps} operations`;
}

/** The limit that the last evaluation exceeded; undefined within it. */
export function excess(): string | undefined {
  if (left >= 0) return undefined;
  return excessOfRequest() ?? `its rule takes more than ${RULE_LIMITS.steps} operations`;
}

/** Operations that read a value of the context. */
const READS = new Set(["var", "val", "get"]);

function boundedMethod(name: string, method: Method): Method {
  const count = counted(method);
  if (READS.has(name)) return (args, context, above, engine) => paidRead(count(args, context, above, engine));
  if (COMPARISONS.has(name))
    return (args, context, above, engine) => method(paidComparison(args), context, above, engine);
  switch (name) {
    case "cat":
      return (args, context, above, engine) => count(paidText(args), context, above, engine);
    case "merge":
      return (args, context, above, engine) => count(boundedParts(args), context, above, engine);
    case "in":
    case "missing":
    case "missing_some":
      return (args, context, above, engine) => count(paidFor(args), context, above, engine);
    case "matches":
      return (args, context, above, engine) => count(paidSearch(args), context, above, engine);
    case "fractional":
      return counted(fractionalOf(method));
    default:
      return count;
  }
}

function counted(method: Method): Method {
  return (args, context, above, engine) => {
    pay(1);
    return method(args, context, above, engine);
  };
}

function pay(steps: number): void {
  if ((left -= steps) < 0) throw new RangeError("too many operations");
}

/** Counts a value of the context by its size, since the operation that takes it may go through all of it. */
function paidRead(value: unknown): unknown {
  if (typeof value === "string") payForText(value.length);
  else if (Array.isArray(value)) pay(Math.floor(value.length / ELEMENTS_A_STEP));
  return value;
}

/** Counts the elements of a loop, whose condition may be none that counts. */
function paidElements(elements: unknown[]): unknown[] {
  pay(Math.floor(elements.length / LOOPED_A_STEP));
  return elements;
}

/** Counts arguments that are joined to a text. */
function paidText(args: unknown): unknown {
  payForText(lengthOf(args));
  return args;
}

function payForText(length: number): void {
  if (length > SHORT) pay(Math.floor(length / HASHED_A_STEP));
}

/** Operations that were left after the last comparison. */
let leftThen = Number.NaN;

/** Counts a comparison of what was not counted itself, such as constants, and objects that are compared, which become texts. */
function paidComparison(args: unknown): unknown {
  if (left === leftThen) pay(1);
  for (const each of args as unknown[])
    if (typeof each === "object" && each !== null) payForText(lengthOf(each));
  leftThen = left;
  return args;
}

/** Returns the arguments of a merge. Throws `RangeError` if they make too long an array. */
function boundedParts(args: unknown): unknown {
  let elements = 0;
  for (const part of Array.isArray(args) ? args : [args]) if (Array.isArray(part)) elements += part.length;
  if (elements > RULE_LIMITS.elements) throw new RangeError("an operation makes too long an array");
  return args;
}

/** Counts arguments that are searched as texts by their length. */
function paidFor(args: unknown): unknown {
  const isInList =
    Array.isArray(args) &&
    typeof args[0] !== "object" &&
    (Array.isArray(args[1]) || args[1] instanceof MemberList);
  if (!isInList) pay(Math.floor(lengthOf(args) / SEARCHED_A_STEP));
  return args;
}

/** Counts a text by its length and the size of the pattern that is searched in it. */
function paidSearch(args: unknown): unknown {
  const [text, pattern] = Array.isArray(args) ? (args as unknown[]) : [];
  if (typeof text === "string" && pattern instanceof Pattern)
    pay(Math.floor((text.length * pattern.size) / STEPS_OF_PATTERN));
  return args;
}

/** Returns the value. Throws `RangeError` if its text is too long. */
function boundedText<T>(value: T): T {
  lengthOf(value);
  return value;
}

/** Characters of a value's text; an array counts each element as often as it holds it. Throws `RangeError` past the limit. */
function lengthOf(value: unknown): number {
  let length = 0;
  const add = (value: unknown) => {
    length += typeof value === "string" ? value.length : 1;
    if (length > RULE_LIMITS.characters)
      throw new RangeError(`a rule makes texts of at most ${RULE_LIMITS.characters} characters`);
    if (Array.isArray(value)) for (const each of value) add(each);
  };
  add(value);
  return length;
}
