import {
  type Code,
  type Compiler,
  type ListOf,
  type Operations,
  type Run,
  isObject,
  listOf,
  runOf,
} from "./code.ts";
import { CHOICES } from "./choices.ts";
import { COMPARISONS } from "./comparisons.ts";
import { LOOPS } from "./loops.ts";
import { OPERATIONS } from "./operations.ts";
import { PATHS } from "./paths.ts";
import { fractional } from "./shares.ts";
import { semVer } from "./versions.ts";

/** The operations of flagd. */
const FLAGD: Operations = {
  ...CHOICES,
  ...COMPARISONS,
  ...LOOPS,
  ...OPERATIONS,
  ...PATHS,
  fractional,
  sem_ver: semVer,
};

/** Rules by name. */
export type Segments = { get: (name: string) => unknown };

export type RuleOptions = {
  /** The operations that flagd does not have. */
  operations: Operations;
  /** The members of segments that are no part of their rules. */
  knownList?: ListOf | undefined;
};

/** Compiles a rule. Throws for one that it cannot compile. */
export type CompileRule = (rule: unknown) => Run;

/** Returns a function that compiles rules, and each segment once for all of them. */
export function createRules(segments: Segments, { operations, knownList }: RuleOptions): CompileRule {
  const all: Operations = { ...FLAGD, ...operations };
  /** Null while a segment is compiled, which then refers to itself. */
  const known = new Map<string, Code | null>();
  const compile = (part: unknown): Code => {
    if (Array.isArray(part)) return listOf(part, compiler);
    const [[name, args] = [], ...more] = isObject(part) ? Object.entries(part) : [];
    if (name === undefined) return { value: part };
    if (more.length === 0 && name === "$ref") return segment(args as string);
    const operation = more.length === 0 && Object.hasOwn(all, name) ? all[name] : undefined;
    if (!operation) throw new Error(`unknown operation ${name}`);
    return operation(args, compiler);
  };
  const segment = (name: string): Code => {
    const before = known.get(name);
    if (before) return before;
    const rule = segments.get(name);
    if (before === null || rule === undefined)
      throw new Error(`the segment ${name} does not exist, or refers to itself`);
    known.set(name, null);
    const code = compile(rule);
    known.set(name, code);
    return code;
  };
  const resolve = (part: unknown): unknown => {
    const name = (part as { $ref?: string } | null | undefined)?.$ref;
    return name === undefined ? part : resolve(segments.get(name));
  };
  const compiler: Compiler = { compile, resolve, knownList };
  return (rule) => runOf(compile(rule));
}
