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
  members?: Lists | undefined;
};

/** How deep segments may refer to segments. */
const MAX_NESTED = 16;

/** A part of a rule as it was compiled before, and what that cost. */
type Known = { code: Code; nodes: number; instructions: number };

/** Returns a function that compiles rules, and a segment once for all of them. It throws for a rule that it cannot compile. */
export function createRules(segments: Segments, { pattern, members }: RuleOptions): (rule: unknown) => Run {
  const known = new Map<string, Known>();
  let nodes = 0;
  let instructions = 0;
  const nested: string[] = [];

  const compile = (part: unknown): Code => {
    if (typeof part !== "object" || part === null) {
      count(1);
      return new Constant(part);
    }
    const names = Object.keys(part);
    const [name] = names;
    const args: unknown = (part as Record<string, unknown>)[name!];
    if (name === "$ref" && names.length === 1 && typeof args === "string") return segment(args);
    count(1);
    if (Array.isArray(part)) return listOf(part, compiler);
    if (name === undefined) return new Constant(part);
    const operation = names.length === 1 ? OPERATIONS.get(name) : undefined;
    if (!operation) throw new Error(`there is no operation ${name}`);
    return operation(args, compiler);
  };
  const count = (more: number) => {
    if ((nodes += more) > LIMITS.nodes) throw new RangeError(`a rule has at most ${LIMITS.nodes} values`);
  };
  const payForPattern = (more: number) => {
    if ((instructions += more) > LIMITS.instructions)
      throw new RangeError("the patterns of the rule are too large: repeat less, as in {1,100}");
  };
  const segment = (name: string): Code => {
    const before = known.get(name);
    if (before) {
      count(before.nodes);
      payForPattern(before.instructions);
      return before.code;
    }
    if (nested.length === MAX_NESTED || nested.includes(name))
      throw new Error(`the segment ${name} refers to itself`);
    const rule = segments.get(name);
    if (rule === undefined) throw new Error(`there is no segment ${name}`);
    const start = { nodes, instructions };
    nested.push(name);
    const code = compile(rule);
    nested.pop();
    known.set(name, { code, nodes: nodes - start.nodes, instructions: instructions - start.instructions });
    return code;
  };
  const resolve = (part: unknown): unknown => {
    let whole = part;
    for (let depth = 0; depth < MAX_NESTED; depth += 1) {
      const name = typeof whole === "object" && whole !== null && "$ref" in whole ? whole.$ref : undefined;
      if (typeof name !== "string") break;
      whole = segments.get(name);
    }
    return whole;
  };
  const compiler: Compiler = { compile, count, resolve, payForPattern, pattern, members };
  return (rule) => {
    nodes = instructions = nested.length = 0;
    return runOf(compile(rule));
  };
}
