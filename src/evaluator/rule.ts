import {
  type Code,
  type Compiler,
  Constant,
  type Lists,
  type Operation,
  type PatternOf,
  type Run,
  listOf,
  runOf,
} from "./code.ts";
import * as choices from "./choices.ts";
import * as comparisons from "./comparisons.ts";
import * as conditions from "./conditions.ts";
import * as loops from "./loops.ts";
import * as operations from "./operations.ts";
import * as paths from "./paths.ts";
import { fractional } from "./shares.ts";
import { LIMITS } from "./steps.ts";
import { semVer } from "./versions.ts";

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["if", choices.branch],
  ["and", choices.and],
  ["or", choices.or],
  ["!", operations.not],
  ["!!", operations.isTruthy],
  ["==", comparisons.equal],
  ["!=", comparisons.unequal],
  ["===", comparisons.same],
  ["!==", comparisons.different],
  ["<", comparisons.less],
  ["<=", comparisons.atMost],
  [">", comparisons.greater],
  [">=", comparisons.atLeast],
  ["in", comparisons.within],
  ["var", paths.variable],
  ["missing", paths.missing],
  ["missing_some", paths.missingSome],
  ["cat", operations.cat],
  ["substr", operations.substr],
  ["+", operations.plus],
  ["-", operations.minus],
  ["*", operations.times],
  ["/", operations.divided],
  ["%", operations.modulo],
  ["min", operations.least],
  ["max", operations.most],
  ["merge", operations.merge],
  ["map", loops.map],
  ["filter", loops.filter],
  ["reduce", loops.reduce],
  ["all", loops.all],
  ["some", loops.some],
  ["none", loops.none],
  ["fractional", fractional],
  ["starts_with", comparisons.startsWith],
  ["ends_with", comparisons.endsWith],
  ["sem_ver", semVer],
  ["matches", conditions.matches],
  ["in_cidr", conditions.inCidr],
  ["before", conditions.before],
  ["after", conditions.after],
]);

/** Rules by name. */
export type Segments = { get: (name: string) => unknown };

/** The parts of a server that rules use. */
export type RuleOptions = {
  pattern: PatternOf;
  /** The members of segments that are no part of their rules. */
  members?: Lists | null | undefined;
};

/** How deep segments may refer to segments. */
const MAX_NESTED = 16;

/** Compiles a rule. Throws for one that it cannot compile. */
export type CompileRule = (rule: unknown) => Run;

/** Returns a function that compiles rules, and each segment once for all of them. */
export function createRules(segments: Segments, { pattern, members }: RuleOptions): CompileRule {
  const known = new Map<string, Code>();
  const nested: string[] = [];
  let instructions = 0;

  const compile = (part: unknown): Code => {
    if (typeof part !== "object" || part === null) return new Constant(part);
    if (Array.isArray(part)) return listOf(part, compiler);
    const reference = referenceOf(part);
    if (reference !== undefined) return segment(reference);
    const names = Object.keys(part);
    const [name] = names as [string];
    if (names.length === 0) return new Constant(part);
    const operation = names.length === 1 ? OPERATIONS.get(name) : undefined;
    if (!operation) throw new Error(`there is no operation ${name}`);
    return operation((part as Record<string, unknown>)[name], compiler);
  };
  const segment = (name: string): Code => {
    const before = known.get(name);
    if (before) return before;
    const rule = segments.get(name);
    if (rule === undefined) throw new Error(`there is no segment ${name}`);
    if (nested.length === MAX_NESTED || nested.includes(name))
      throw new Error(`the segment ${name} refers to itself, or too deep`);
    nested.push(name);
    const code = compile(rule);
    nested.pop();
    known.set(name, code);
    return code;
  };
  const resolve = (part: unknown): unknown => {
    const reference = referenceOf(part);
    return reference === undefined ? part : resolve(segments.get(reference));
  };
  const payForPattern = (more: number) => {
    if ((instructions += more) > LIMITS.instructions)
      throw new RangeError("the patterns of the rule are too large: repeat less, as in {1,100}");
  };
  const compiler: Compiler = { compile, resolve, payForPattern, pattern, members };
  return (rule) => {
    instructions = nested.length = 0;
    return runOf(compile(rule));
  };
}

/** The segment that a part of a rule refers to. */
function referenceOf(part: unknown): string | undefined {
  const name = typeof part === "object" && part !== null && "$ref" in part ? part.$ref : undefined;
  return typeof name === "string" && Object.keys(part as object).length === 1 ? name : undefined;
}
