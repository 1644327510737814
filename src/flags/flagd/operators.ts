import { own } from "../../base/shapes/own.ts";
import { isObject } from "../../base/json.ts";
import type { Fault } from "./definition.ts";
import type { Networks } from "../../evaluator/networks.ts";
import { LIMITS } from "../../evaluator/steps.ts";
import { networksOf, Pattern, patternOf, requireMoment } from "./operands.ts";

/**
 * Operators that flagd does not have, each of two arguments. A value of another type is no match. What `matches` and
 * `in_cidr` compare with is a constant of the rule.
 */
type Operator = {
  /** Its operand, read from a constant, or the reason why that is none. */
  read: (operand: unknown) => Pattern | Networks | number | string;
  /** Whether it may compare with the result of an operation. */
  takesRules: boolean;
};

const OPERATORS: Readonly<Record<string, Operator>> = {
  matches: {
    read: (operand) => (typeof operand === "string" ? patternOf(operand) : "the pattern must be a text"),
    takesRules: false,
  },
  in_cidr: { read: networksOf, takesRules: false },
  before: { read: requireMoment, takesRules: true },
  after: { read: requireMoment, takesRules: true },
};

/** An operation of a rule that flagd does not have, with its arguments; undefined for anything else. */
function operationOf(rule: object): { name: string; args: unknown } | undefined {
  const entries = Object.entries(rule);
  const [[name, args] = ["", null]] = entries;
  return entries.length === 1 && Object.hasOwn(OPERATORS, name) ? { name, args } : undefined;
}

/** Whether a rule, as JSON, may have an operation that flagd does not have. */
export function mayBeForeign(rule: string): boolean {
  return /"(?:matches|in_cidr|before|after)":/.test(rule);
}

/** The operators of a rule that flagd does not have. */
export function foreignOperators(rule: unknown): Set<string> {
  const names = new Set<string>();
  walk(rule, "", ({ name }) => {
    names.add(name);
    return undefined;
  });
  return names;
}

/** The first fault in the arguments of operations that flagd does not have; undefined without one. */
export function findOperatorFault(rule: unknown, path: string): Fault | undefined {
  let left: number = LIMITS.instructions;
  return walk(rule, path, ({ name, args, path }) => {
    if (!Array.isArray(args) || args.length !== 2)
      return { path, message: `${name} takes a list of two arguments` };
    const { read, takesRules } = own(OPERATORS, name)!;
    const operand: unknown = args[1];
    if (takesRules && isObject(operand)) return undefined;
    const found = read(operand);
    if (typeof found === "string") return { path: `${path}/1`, message: found };
    if (found instanceof Pattern) left -= found.size;
    return left < 0 ? { path: `${path}/1`, message: TOO_LARGE } : undefined;
  });
}

const TOO_LARGE = "the patterns of the rule are too large: repeat less, as in {1,100}";

type Found = { name: string; args: unknown; path: string };

/** The first fault that `visit` finds in an operation that flagd does not have. */
function walk(rule: unknown, path: string, visit: (found: Found) => Fault | undefined): Fault | undefined {
  if (typeof rule !== "object" || rule === null) return undefined;
  const own = Array.isArray(rule) ? undefined : operationOf(rule);
  const fault = own && visit({ ...own, path: `${path}/${own.name}` });
  if (fault) return fault;
  for (const [step, each] of Object.entries(rule)) {
    const fault = walk(each, `${path}/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`, visit);
    if (fault) return fault;
  }
  return undefined;
}

/** The time of the evaluation, as a rule reads it: in seconds, where other moments are in milliseconds. */
export const TIMESTAMP = { var: "$flagd.timestamp" };
