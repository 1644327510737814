import {
  type Code,
  type Compiler,
  Constant,
  type Lists,
  type Operations,
  type PatternOf,
  type Run,
  listOf,
  runOf,
} from "./code.ts";
import { CHOICES } from "./choices.ts";
import { COMPARISONS } from "./comparisons.ts";
import { CONDITIONS } from "./conditions.ts";
import { LOOPS } from "./loops.ts";
import { OPERATIONS } from "./operations.ts";
import { PATHS } from "./paths.ts";
import { fractional } from "./shares.ts";
import { LIMITS } from "./steps.ts";
import { semVer } from "./versions.ts";

const ALL: Operations = {
  ...CHOICES,
  ...COMPARISONS,
  ...CONDITIONS,
  ...LOOPS,
  ...OPERATIONS,
  ...PATHS,
  fractional,
  sem_ver: semVer,
};

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
    const operation = names.length === 1 && Object.hasOwn(ALL, name) ? ALL[name] : undefined;
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
