import { MemoryStorage } from "@openfeature/flagd-core";
import * as fc from "fast-check";
import { isObject } from "../../src/base/json.ts";
import { findFault, findSegmentFault } from "../../src/flags/flagd/check.ts";
import { findMetadataFault } from "../../src/flags/flagd/shape.ts";
import type { FlagRules } from "../../src/flags/rules/rules.ts";

const SILENT = { error() {}, warn() {}, info() {}, debug() {} };
const NONE = new Map<string, unknown>();
const SOME_RULE = { "==": [1, 1] };
const OWN = new Set(["starts_with", "ends_with", "sem_ver", "fractional"]);

/** Whether flagd's library, with the schema that it has in it, accepts a file. */
function isAccepted(document: object): boolean {
  try {
    new MemoryStorage(SILENT).setConfigurations(JSON.stringify(document), true);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a flag is right, by flagd's schema and by what is different here:
 * - A reference is a rule at any place, since a rule takes its place. The schema sees it where no segment has its name.
 * - An operation in a list is one too. The schema looks into no list, and the flag then fails in flagd.
 * - An operation has one operator. The schema takes some pairs, depending on how it groups operators; evaluators take the first.
 * - An operation has an operator. The schema takes `{}` as one in places, and refuses it in others.
 */
function isRight(rules: FlagRules, isStrict = true): boolean {
  const { targeting, ...rest } = rules;
  const rule = asSchemaSees(targeting, isStrict);
  const operations = operationsIn(rule);
  if (!operations.every((each) => Object.keys(each).length === 1)) return false;
  const flags: Record<string, object> = {
    flag: { state: "ENABLED", ...rest, ...(rule === undefined ? {} : { targeting: rule }) },
  };
  if (operations.length > 0)
    flags["inside"] = { state: "ENABLED", variants: { on: true }, targeting: { or: operations } };
  return isAccepted({ flags });
}

/** The rule without references, and, unless it is to be strict, with an operator that takes anything in place of flagd's own. */
function asSchemaSees(rule: unknown, isStrict: boolean): unknown {
  if (Array.isArray(rule)) return rule.map((each) => asSchemaSees(each, isStrict));
  if (!isObject(rule)) return rule;
  const [[name, args] = ["", null], ...more] = Object.entries(rule);
  if (more.length === 0 && name === "$ref" && typeof args === "string") return SOME_RULE;
  const inner = Object.fromEntries(
    Object.entries(rule).map(([key, each]) => [key, asSchemaSees(each, isStrict)]),
  );
  const isForgiven = !isStrict && more.length === 0 && OWN.has(name) && Array.isArray(args);
  return isForgiven ? { merge: [0, ...(inner[name] as unknown[])] } : inner;
}

/** All objects in a rule, except one without members that is the whole rule. */
function operationsIn(rule: unknown): object[] {
  if (isObject(rule) && Object.keys(rule).length === 0) return [];
  const found: object[] = [];
  const add = (each: unknown): void => {
    if (typeof each !== "object" || each === null) return;
    if (!Array.isArray(each)) found.push(each);
    Object.values(each).forEach(add);
  };
  add(rule);
  return found;
}

const word = fc.constantFrom(
  "",
  "a",
  "a.b",
  "on",
  "off",
  "$flagd.timestamp",
  "$flagd.flagKey",
  "$flagd.x",
  "$flagd.\nx",
  "$flagd",
  "=",
  "~",
  ">=",
  "1.2.3",
  "__proto__",
);
const part = fc.constantFrom("0", "1", "10", "01", "a", "1a", "-", "");
const version = fc
  .tuple(fc.array(part, { minLength: 2, maxLength: 4 }), fc.constantFrom("", "-", "+", "-1+"), fc.array(part))
  .map(([core, sign, rest]) => core.join(".") + sign + rest.join("."));
const scalar = fc.oneof(
  word,
  version,
  fc.integer({ min: -2, max: 101 }),
  fc.constantFrom(0.5, 1e300, -0),
  fc.boolean(),
  fc.constant(null),
);

/** What each operator of flagd takes, roughly: enough of what is generated is right, or nearly. */
const OPERATORS =
  "== === != !== > >= % / in map filter all none some < <= substr reduce * if or and + - max min merge cat ! !! var missing missing_some starts_with ends_with sem_ver fractional".split(
    " ",
  );

const { rule } = fc.letrec<{ rule: Record<string, unknown>; argument: unknown; share: unknown }>((tie) => ({
  argument: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: tie("rule"), weight: 4 },
    fc.array(tie("argument"), { maxLength: 3 }),
  ),
  share: fc.oneof(
    fc.tuple(tie("argument"), fc.oneof(fc.nat(100), tie("rule"))),
    fc.tuple(tie("argument")),
    fc.array(tie("argument"), { maxLength: 1 }),
    fc.tuple(tie("argument"), fc.nat(100), fc.nat(100)),
  ),
  rule: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: word.map((name) => ({ var: name })), weight: 3 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(...OPERATORS), fc.array(tie("argument"), { maxLength: 4 }))
        .map(([name, args]) => ({ [name]: args })),
      weight: 8,
    },
    fc
      .tuple(fc.constantFrom(...OPERATORS, "$ref", "val", "toString"), tie("argument"))
      .map(([name, args]) => ({ [name]: args })),
    word.map((name) => ({ $ref: name })),
    fc.array(word, { maxLength: 3 }).map((names) => ({ missing: names })),
    fc.tuple(scalar, fc.array(word, { maxLength: 3 })).map((args) => ({ missing_some: args })),
    fc
      .tuple(
        fc.oneof(version, tie("rule")),
        fc.constantFrom("=", "!=", "^", "==", ""),
        fc.oneof(version, tie("rule")),
      )
      .map((args) => ({ sem_ver: args })),
    fc
      .tuple(
        fc.constantFrom("starts_with", "ends_with"),
        fc.array(fc.oneof(word, tie("rule")), { minLength: 1, maxLength: 3 }),
      )
      .map(([name, args]) => ({ [name]: args })),
    fc
      .tuple(fc.option(tie("rule"), { nil: undefined }), fc.array(tie("share"), { maxLength: 4 }))
      .map(([by, shares]) => ({ fractional: [...(by === undefined ? [] : [by]), ...shares] })),
    fc.dictionary(fc.constantFrom(...OPERATORS), fc.array(tie("argument"), { maxLength: 3 }), { maxKeys: 2 }),
  ),
}));

/** Replaces the value that is `at`th in a JSON value, or adds it to the object there. */
function mutate(value: unknown, at: number, by: unknown): unknown {
  let count = 0;
  const visit = (each: unknown): unknown => {
    if (count++ === at) return isObject(each) && isObject(by) ? { ...each, ...by } : by;
    if (Array.isArray(each)) return each.map(visit);
    return isObject(each)
      ? Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, visit(inner)]))
      : each;
  };
  return visit(value);
}

/** Rules, most of which flagd's schema takes, and such rules with one value in them that is another. */
const rules: fc.Arbitrary<unknown> = fc.oneof(
  rule,
  fc
    .tuple(rule, fc.nat(20), fc.oneof(scalar, rule, fc.jsonValue()))
    .map(([whole, at, by]) => mutate(whole, at, by)),
);

const name = fc.oneof(
  { arbitrary: fc.constantFrom("on", "off", "~/"), weight: 8 },
  fc.constantFrom("", "a\nb", "\u2028", "\ud800"),
);

const flags: fc.Arbitrary<FlagRules> = fc.record(
  {
    variants: fc.oneof(
      ...[fc.boolean(), fc.integer(), fc.string(), fc.dictionary(name, fc.jsonValue()), fc.jsonValue()].map(
        (value) => fc.dictionary(name, value, { maxKeys: 3 }),
      ),
    ),
    defaultVariant: fc.oneof({ arbitrary: name, weight: 4 }, fc.constantFrom(null, "", 5, "gone")),
    targeting: rules,
    metadata: fc.oneof(
      { arbitrary: fc.dictionary(word, fc.oneof(fc.string(), fc.integer(), fc.boolean())), weight: 4 },
      fc.jsonValue(),
    ),
  },
  { requiredKeys: ["variants"] },
) as fc.Arbitrary<FlagRules>;

const metadata: fc.Arbitrary<unknown> = fc.oneof(
  fc.dictionary(fc.constantFrom("flagSetId", "version", "other"), fc.oneof(fc.string(), fc.jsonValue())),
  fc.jsonValue(),
);

/** What is right here is what flagd's schema accepts, with the differences of `isRight`. */
export const PROPERTIES: [what: string, property: fc.IProperty<[unknown]>][] = [
  [
    "a flag is right if flagd's schema accepts it",
    fc.property(flags, (flag) => (findFault(flag, NONE, true) === undefined) === isRight(flag)),
  ],
  [
    "a rule, of a flag or a segment, is right if flagd's schema accepts it",
    fc.property(rules, (targeting) => {
      const isWanted = isRight({ variants: { on: true }, targeting } as FlagRules);
      const isFlag = findFault({ variants: { on: true }, targeting } as FlagRules, NONE, true) === undefined;
      const isSegment = findSegmentFault(targeting, true) === undefined;
      return isFlag === isWanted && isSegment === (isWanted || typeof targeting === "boolean");
    }),
  ],
  [
    "a rule in a file is right if flagd's schema accepts it, or refuses only what flagd warns about",
    fc.property(rules, (targeting) => {
      const flag = { variants: { on: true }, targeting } as FlagRules;
      return (findFault(flag, NONE) === undefined) === isRight(flag, false);
    }),
  ],
  [
    "metadata of a flag set is right if flagd's schema accepts it",
    fc.property(
      metadata,
      (value) => (findMetadataFault(value) === undefined) === isAccepted({ flags: {}, metadata: value }),
    ),
  ],
];
