import { beyond, pay, payForElements } from "./steps.ts";

/** The data outside a part of a rule: in a loop, first the list that it goes through, then the data around the loop. */
export type Level = { value: unknown; outer: Level | null };

/** A part of a rule: reads `data`, which is the context, or an element in a loop. */
export type Run = (data: unknown, level: Level | null) => unknown;

/** A part of a rule that needs no evaluation. */
export type Constant = { readonly value: unknown };

export type Code = Run | Constant;

/** Compiles the parts of a rule. */
export type Compiler = {
  compile: (part: unknown) => Code;
  /** The part that a reference stands for. */
  resolve: (part: unknown) => unknown;
  knownList?: ListOf | undefined;
};

export type List = { includes: (value: unknown) => boolean };

/** The list that an operation stands for; undefined if it is for an evaluation to find. */
export type ListOf = (operation: object) => List | undefined;

/** An operation by its arguments, as they are in the rule. */
export type Operation = (args: unknown, compiler: Compiler) => Code;
export type Operations = Readonly<Record<string, Operation>>;

export function isConstant(code: Code): code is Constant {
  return typeof code !== "function";
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function runOf(code: Code): Run {
  if (!isConstant(code)) return code;
  const { value } = code;
  return () => value;
}

/** Evaluates the parts of a list. */
export function listOf(parts: readonly unknown[], { compile }: Compiler): Code {
  const codes = parts.map(compile);
  if (codes.every(isConstant)) return { value: codes.map(({ value }) => value) };
  const runs = codes.map(runOf);
  return (data, level) => {
    const values: unknown[] = [];
    for (const run of runs) values.push(run(data, level));
    return values;
  };
}

/** An operation on a list of evaluated arguments; a single one may be written without a list, and may yield a list. */
export function onList(operate: (values: readonly unknown[], data: unknown) => unknown): Operation {
  return (args, compiler) => {
    const run = runOf(Array.isArray(args) ? listOf(args, compiler) : compiler.compile(args));
    return (data, level) => {
      pay(1);
      return operate(asList(run(data, level)), data);
    };
  };
}

/** An operation that takes the elements of its only argument, if that yields a list, as its arguments. */
export function onElements(operate: (values: readonly unknown[]) => unknown): Operation {
  const whole = onList(operate);
  return (args, compiler) => whole(onlyOf(args), compiler);
}

/** The only argument without its list. */
export function onlyOf(args: unknown): unknown {
  return Array.isArray(args) && args.length === 1 && !Array.isArray(args[0]) ? args[0] : args;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** A result, or `otherwise` where an object cannot be converted since it has a `toString` or `valueOf` of its own. */
export function converted<T, V extends readonly unknown[]>(
  operate: (...values: V) => T,
  otherwise: T,
): (...values: V) => T {
  return (...values) => {
    try {
      return operate(...values);
    } catch (error) {
      if (error instanceof TypeError) return otherwise;
      throw error;
    }
  };
}

/** Whether a condition holds for a value: not for an empty list or object. */
export function truthy(value: unknown): boolean {
  if (!isObject(value)) return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  const { length } = Object.keys(value);
  payForElements(length);
  return length > 0;
}

/** The text of a value. Throws `TypeError` for an object without one. */
export function textOf(value: unknown): string {
  return String(value);
}

/** Arguments that only an evaluation refuses. */
export function unusable(args: unknown, { compile }: Compiler): Run {
  compile(args);
  return beyond;
}
