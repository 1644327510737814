import { RULE_LIMITS } from "../limits.ts";

/** Characters of a text, or elements of a list, that take about as long to search as an operation that looks at none. */
const SEARCHED_A_STEP = 1024;
const ELEMENTS_A_STEP = 64;
/** The same for a long text that is hashed, put together or read as a number; a short one costs nothing more. */
const HASHED_A_STEP = 16;
const SHORT = 1024;

/** The library inlines the operations marked with it instead of calling them. */
const ORIGINAL = Symbol.for("json_logic_original");

type Method = (args: unknown, context: Record<string, unknown>, above: unknown, engine: unknown) => unknown;
type Entry = (Method | { method: Method }) & { [ORIGINAL]?: boolean };
type Methods = Record<string, Entry>;

/** What is used of json-logic-engine's `LogicEngine`. */
export type Engine = { methods: Methods; run: (rule: unknown, context: unknown, options: object) => unknown };

/** Operations left to the evaluation that runs, of which there is one at a time, and to its request. */
let left = 0;
let leftToRequest = Number.POSITIVE_INFINITY;

/** Runs evaluations that together may take `RULE_LIMITS.requestSteps` operations; later ones fail past that. */
export function withinRequest<T>(evaluateAll: () => T): T {
  leftToRequest = RULE_LIMITS.requestSteps;
  try {
    return evaluateAll();
  } finally {
    leftToRequest = Number.POSITIVE_INFINITY;
  }
}

/**
 * Bounds what a rule may cost, which the library does not, and lets shares be dealt out as flagd in other languages
 * does. Returns what to run an evaluation with; one that goes too far throws inside, which the library answers with
 * its error GENERAL.
 */
export function guardEngine(engine: Engine): <T>(evaluate: () => T) => T {
  for (const [name, entry] of Object.entries(engine.methods)) {
    const method = typeof entry === "function" ? entry : entry.method;
    const bounded = boundedMethod(name, method);
    const guarded: Entry =
      typeof entry === "function"
        ? Object.assign(bounded, entry)
        : Object.assign(Object.create(Object.getPrototypeOf(entry)) as object, entry, { method: bounded });
    // Every loop reads its elements: where reads are counted, nothing else has to be that the library inlines.
    if (READS.has(name)) delete guarded[ORIGINAL];
    engine.methods[name] = guarded;
  }
  return (evaluate) => {
    const granted = Math.min(RULE_LIMITS.steps, leftToRequest);
    left = granted;
    try {
      return evaluate();
    } finally {
      leftToRequest -= granted - left;
    }
  };
}

/** Which limit the evaluations of this request went beyond together. */
export function excessOfRequest(): string | undefined {
  if (leftToRequest >= 0) return undefined;
  return `the rules of this request take more than ${RULE_LIMITS.requestSteps} operations`;
}

/** Which limit the evaluation that ended last went beyond. */
export function excess(): string | undefined {
  if (left >= 0) return undefined;
  return excessOfRequest() ?? `its rule takes more than ${RULE_LIMITS.steps} operations`;
}

/** Operations that read a value of the context. */
const READS = new Set(["var", "val", "get"]);

function boundedMethod(name: string, method: Method): Method {
  const count: Method = (args, context, above, engine) => {
    pay(1);
    return method(args, context, above, engine);
  };
  if (READS.has(name)) return (args, context, above, engine) => paidRead(count(args, context, above, engine));
  switch (name) {
    case "cat":
      return (args, context, above, engine) => count(paidText(args), context, above, engine);
    case "merge":
      return (args, context, above, engine) => count(boundedParts(args), context, above, engine);
    case "in":
    case "missing":
    case "missing_some":
      return (args, context, above, engine) => count(paidFor(args), context, above, engine);
    case "fractional":
      return (args, context, above, engine) => count(byBytes(args, context), context, above, engine);
    default:
      return count;
  }
}

function pay(steps: number): void {
  if ((left -= steps) < 0) throw new RangeError("too many operations");
}

/** A value of the context, for which what takes it may go through it. */
function paidRead(value: unknown): unknown {
  if (typeof value === "string") payForText(value.length);
  else if (Array.isArray(value)) pay(Math.floor(value.length / ELEMENTS_A_STEP));
  return value;
}

/** Arguments of which a text is made. */
function paidText(args: unknown): unknown {
  payForText(lengthOf(args));
  return args;
}

function payForText(length: number): void {
  if (length > SHORT) pay(Math.floor(length / HASHED_A_STEP));
}

/** Arguments that together make no long array. */
function boundedParts(args: unknown): unknown {
  let elements = 0;
  for (const part of Array.isArray(args) ? args : [args]) if (Array.isArray(part)) elements += part.length;
  if (elements > RULE_LIMITS.elements) throw new RangeError("an operation makes too long an array");
  return args;
}

/** Arguments that are looked through as texts, which takes time: so many characters count as an operation. */
function paidFor(args: unknown): unknown {
  const isInList = Array.isArray(args) && typeof args[0] !== "object" && Array.isArray(args[1]);
  if (!isInList) pay(Math.floor(lengthOf(args) / SEARCHED_A_STEP));
  return args;
}

/** What makes no long text. */
export function boundedText<T>(value: T): T {
  lengthOf(value);
  return value;
}

/** Characters of a text; an array is the text of all it holds, as often as it holds it. Throws for a long one. */
function lengthOf(value: unknown): number {
  let length = 0;
  const look = (value: unknown) => {
    length += typeof value === "string" ? value.length : 1;
    if (length > RULE_LIMITS.characters)
      throw new RangeError(`a rule makes texts of at most ${RULE_LIMITS.characters} characters`);
    if (Array.isArray(value)) for (const each of value) look(each);
  };
  look(value);
  return length;
}

/**
 * The library hashes UTF-16 code units where flagd hashes UTF-8 bytes: given one character a byte it hashes those. The
 * key is made here as it would be there. https://flagd.dev/reference/custom-operations/fractional-operation/
 */
function byBytes(args: unknown, context: Record<string, unknown>): unknown {
  if (!Array.isArray(args)) return args;
  if (typeof args[0] === "string") return isAscii(args[0]) ? args : [bytesOf(args[0]), ...args.slice(1)];
  const { targetingKey, $flagd } = context as { targetingKey?: string; $flagd?: { flagKey?: string } };
  if (!targetingKey || (isAscii(targetingKey) && isAscii($flagd?.flagKey ?? ""))) return args;
  return [bytesOf(`${$flagd?.flagKey}${targetingKey}`), ...args];
}

/** Whose code units are its bytes. */
function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
