import { RULE_LIMITS } from "../limits.ts";

/** Characters that take about as long as an operation that looks at none. */
const CHARACTERS_A_STEP = 1024;

type Method = (args: unknown, context: Record<string, unknown>, above: unknown, engine: unknown) => unknown;
type Methods = Record<string, Method | ({ method: Method } & object)>;

/** What is used of json-logic-engine's `LogicEngine`. */
export type Engine = { methods: Methods; run: (rule: unknown, context: unknown, options: object) => unknown };

/** Operations left to the evaluation that runs; there is but one at a time. */
let left = 0;

/**
 * Bounds what a rule may cost, which the library does not, and lets shares be dealt out as flagd in other languages
 * does. Returns what to run an evaluation with; one that goes too far throws inside, which the library answers with
 * its error GENERAL.
 */
export function guardEngine(engine: Engine): <T>(evaluate: () => T) => T {
  for (const [name, entry] of Object.entries(engine.methods)) {
    const method = typeof entry === "function" ? entry : entry.method;
    const bounded = boundedMethod(name, method);
    engine.methods[name] =
      typeof entry === "function"
        ? Object.assign(bounded, entry)
        : Object.assign(Object.create(Object.getPrototypeOf(entry)) as object, entry, { method: bounded });
  }
  return (evaluate) => {
    left = RULE_LIMITS.steps;
    return evaluate();
  };
}

function boundedMethod(name: string, method: Method): Method {
  const count: Method = (args, context, above, engine) => {
    if ((left -= 1) < 0) throw new RangeError(`more than ${RULE_LIMITS.steps} operations`);
    return method(args, context, above, engine);
  };
  switch (name) {
    case "cat":
      return (args, context, above, engine) => count(boundedText(args), context, above, engine);
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
  if (!isInList) left -= Math.floor(lengthOf(args) / CHARACTERS_A_STEP);
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
