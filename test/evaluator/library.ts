import { FeatureFlag } from "@openfeature/flagd-core";

/**
 * flagd's own library for JavaScript, with the differences of this evaluator applied to its operations: each by its name, with
 * its reason. Beyond these, both give the same results.
 */

type Values = readonly unknown[];
type Method = (args: unknown, context: unknown, above: unknown, engine: Engine) => unknown;
type Entry = { method: Method; lazy?: boolean };
type Engine = {
  methods: Record<string, Method | Entry>;
  truthy: (value: unknown) => boolean;
  run: (rule: unknown, context: unknown, options: { above: unknown }) => unknown;
  disableInline: boolean;
  missesSinceSeen: number;
};

type Difference = {
  why: string;
  operations: string[];
  replace: (name: string, library: Entry) => Entry;
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const listOf = (args: unknown): Values => (Array.isArray(args) ? args : [args]);
const numberOf = (value: unknown) => (isObject(value) ? Number.NaN : Number(value));

/** A method that yields `otherwise` where an object cannot be converted since it has a `toString` or `valueOf` of its own. */
function converting(method: Method, otherwise: unknown = null): Method {
  return (...args) => {
    try {
      return method(...args);
    } catch (error) {
      if (error instanceof TypeError) return otherwise;
      throw error;
    }
  };
}

const COMPARED: Record<string, (a: never, b: never) => boolean> = {
  // oxlint-disable-next-line eqeqeq
  "==": (a, b) => a == b,
  // oxlint-disable-next-line eqeqeq
  "!=": (a, b) => a != b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const COMBINED: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  min: Math.min,
  max: Math.max,
};

const FIRST: Record<string, number> = { "+": 0, "*": 1 };

const LOGGER = Symbol.for("flagd.logger");
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };

const DIFFERENCES: Difference[] = [
  {
    why: "a value that cannot be converted equals nothing and is neither less nor greater than anything, and null equals only null: the library ends the rule, so that one attribute of another type would hide the next condition",
    operations: Object.keys(COMPARED),
    replace: (name) => ({
      method: converting((args) => {
        const values = args as never[];
        return values.every((each, at) => at === 0 || COMPARED[name]!(values[at - 1]!, each));
      }, name === "!="),
    }),
  },
  {
    why: "what is no number makes no number, and a division by 0 is infinite: the library ends the rule",
    operations: Object.keys(COMBINED),
    replace: (name, library) => ({
      ...library,
      method: (args) => {
        const numbers = listOf(args).map(numberOf);
        if (name === "-" && numbers.length === 1) return -numbers[0]!;
        const all = name in FIRST ? [FIRST[name]!, ...numbers] : numbers;
        return all.length === 0 ? Number.NaN : all.reduce((a, b) => COMBINED[name]!(a, b));
      },
    }),
  },
  {
    why: "a value that is neither a list nor a text holds nothing: the library ends the rule",
    operations: ["in"],
    replace: () => ({
      method: converting((args) => {
        const [item, list] = args as [never, unknown];
        return (typeof list === "string" || Array.isArray(list)) && list.includes(item);
      }, false),
    }),
  },
  {
    why: "a value that is no text is read as one, as JSON logic does: the library ends the rule",
    operations: ["substr"],
    replace: () => ({
      method: converting((args) => {
        const [text, from, length] = args as [unknown, number, number];
        const rest = String(text).slice(from);
        return length === undefined ? rest : rest.slice(0, length);
      }),
    }),
  },
  {
    why: "an object without a text has none: the library ends the rule",
    operations: ["cat"],
    replace: (_, library) => ({ ...library, method: converting((args) => listOf(args).join("")) }),
  },
  {
    why: "an object without a text is no path: the library ends the rule",
    operations: ["var"],
    replace: (_, library) => ({ ...library, method: converting(library.method) }),
  },
  {
    why: "a value that is no list has no elements: the library ends the rule, or goes through a text",
    operations: ["some", "all", "none", "map", "filter", "reduce"],
    replace: (_, library) => ({
      ...library,
      method: (args, context, above, engine) => {
        if (!Array.isArray(args)) throw new TypeError("no arguments");
        const [list, ...rest] = args as unknown[];
        return library.method([{ $elements: [list] }, ...rest], context, above, engine);
      },
    }),
  },
  {
    why: "an element of a loop has versions and beginnings too: the library looks for its logger in the element, and ends the rule",
    operations: ["starts_with", "ends_with", "sem_ver"],
    replace: (_, library) => ({
      ...library,
      method: (args, _context, above, engine) =>
        (args as Values).some(isObject) ? null : library.method(args, { [LOGGER]: SILENT }, above, engine),
    }),
  },
  {
    why: "the bytes of UTF-8 are hashed, as flagd itself does: the library hashes units of UTF-16. In a loop there is no context to deal out by, and an attribute that is no text is neither a key nor a bucket",
    operations: ["fractional"],
    replace: (_, library) => ({
      lazy: true,
      method: (rule, context, above, engine) => {
        if (!isObject(context) || !(LOGGER in context)) return null;
        const args = engine.run(rule, context, { above });
        const [first, ...rest] = Array.isArray(args) ? (args as unknown[]) : [];
        if (typeof first === "string")
          return library.method([bytesOf(first), ...rest], context, above, engine);
        if (Array.isArray(rule) && isObject(rule[0]) && "var" in rule[0]) return null;
        return converting((list) => {
          const { targetingKey, $flagd } = context as unknown as Whole;
          if (!targetingKey || !Array.isArray(list)) return null;
          const key = bytesOf(`${$flagd.flagKey}${targetingKey as string}`);
          return library.method([key, ...(list as unknown[])], context, above, engine);
        })(args, context, above, engine);
      },
    }),
  },
];

type Whole = { targetingKey?: unknown; $flagd: { flagKey: string } };

/** A text with one character for each byte of another, which the library hashes. */
function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Marks what the library calls in a way of its own. */
const ORIGINAL = Symbol.for("json_logic_original");

function differing(engine: Engine): Engine {
  for (const { operations, replace } of DIFFERENCES)
    for (const name of operations) {
      const own = engine.methods[name]!;
      const library: Entry & { [ORIGINAL]?: boolean } =
        typeof own === "function" ? Object.assign({}, own, { method: own }) : own;
      const { [ORIGINAL]: _, ...entry } = replace(name, library) as typeof library;
      engine.methods[name] = entry;
    }
  engine.methods["$elements"] = (args) => {
    const [list] = args as [unknown];
    return Array.isArray(list) ? list : [];
  };
  // An attribute may be called `constructor`, which the library reads of every object.
  engine.truthy = (value) => (isObject(value) ? Object.keys(value).length > 0 : Boolean(value));
  // Parts that are constants are evaluated where they are reached, and not once for all, with defaults that are not there yet.
  engine.disableInline = true;
  return engine;
}

type Inside = { _targeting?: { _engine: Engine } };

const OPTIONS = { disableDynamicCodeGeneration: true };

export type Outcome = { reason?: string; value?: unknown; variant?: string | undefined; errorCode?: string };

let known: Engine | undefined;

/** Evaluates a flag by the library: as it is, or with the differences. */
export function byLibrary(flag: object, context: object, areApplied = true): Outcome {
  const own = new FeatureFlag("flag", flag as never, SILENT, OPTIONS);
  const { _targeting } = own as unknown as Inside;
  if (areApplied && _targeting) {
    known ??= differing(_targeting._engine);
    // Else it stops preparing rules after hundreds of them.
    known.missesSinceSeen = 0;
    _targeting._engine = known;
  }
  try {
    const { reason, value, variant, errorCode } = own.evaluate(context as never, SILENT) as Outcome;
    return errorCode === undefined ? { reason: reason!, value, variant } : { errorCode };
  } catch {
    // The result has no text, which is an error of the evaluation here.
    return { errorCode: "GENERAL" };
  }
}
