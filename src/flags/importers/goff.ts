import { isObject } from "../../base/json.ts";
import type { FlagdFlag } from "../flagd/definition.ts";
import { type Choice, requireNone, WrongFile } from "./choice.ts";
import { Draft, type Noting, Unsupported, flagOfRule } from "./draft.ts";
import { attributeOf, queryRule } from "./goff-query.ts";
import { type Chain, chained, fractional, listOf, moment, NOW, objectOf, type Rule } from "./logic.ts";

type Json = Record<string, unknown>;

/** Flags of GO Feature Flag by their names. Throws `WrongFile`. */
export function fromGoff(file: unknown, choice: Choice): Draft {
  requireNone(choice);
  if (!isObject(file)) throw new WrongFile(WRONG);
  const flags = Object.entries(file);
  if (!flags.some(([, flag]) => isObject(flag) && isObject(flag["variations"]))) throw new WrongFile(WRONG);
  const draft = new Draft();
  for (const [name, flag] of flags)
    draft.add(
      name,
      `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      (note) => flagOf(name, flag, note),
      isObject(flag) ? { metadata: flag["metadata"] } : {},
    );
  return draft;
}

const WRONG = 'a file of GO Feature Flag has flags by name, each as {"variations":{…},"defaultRule":{…}}';

function flagOf(name: string, given: unknown, note: Noting): FlagdFlag {
  const flag = objectOf(given, "the flag");
  if (!["boolean", "undefined"].includes(typeof flag["disable"]))
    throw new Unsupported("disable is not true or false");
  const variants = objectOf(flag["variations"], "variations");
  const bucketing = typeof flag["bucketingKey"] === "string" ? flag["bucketingKey"] : "key";
  const result = (rule: unknown, path: string) =>
    resultOf(name, bucketing, variants, objectOf(rule, path), (below, message) =>
      note(path + below, message),
    );
  if (listOf(flag["scheduledRollout"], "scheduledRollout").length > 0)
    note("/scheduledRollout", "none of its steps is imported, even if it is due");
  const window = windowOf(flag["experimentation"]);
  const targeting = listOf(flag["targeting"], "targeting").flatMap((each, at): Chain => {
    const rule = objectOf(each, "a rule");
    if (rule["disable"] === true) return [];
    const path = `/targeting/${at}`;
    const condition = conditionOf(rule["query"], (below, message) => note(path + below, message));
    return [[condition, result(rule, path)]];
  });
  const rest = result(flag["defaultRule"], "/defaultRule");
  const isFixed = typeof rest === "string" && window.length === 0;
  const rule = chained([...window, ...targeting], isFixed ? null : rest);
  const state = flag["disable"] === true ? "DISABLED" : "ENABLED";
  return flagOfRule(state, variants, rule, isFixed ? rest : null);
}

/** Outside the time of an experiment, readers get the default of their code. */
function windowOf(given: unknown): Chain {
  if (!isObject(given)) return [];
  const { start, end } = given;
  return [
    ...(start === undefined ? [] : [[{ before: [NOW, moment(start)] }, null] as const]),
    ...(end === undefined ? [] : [[{ after: [NOW, moment(end)] }, null] as const]),
  ];
}

function conditionOf(query: unknown, note: Noting): Rule {
  if (typeof query !== "string" || query.trim() === "") throw new Unsupported("a rule has no query");
  if (!query.trimStart().startsWith("{"))
    return queryRule(query, (path, message) => note(`/query${path}`, message));
  note("/query", "the query in JSONLogic is taken as it is: values of different types may compare otherwise");
  let rule: unknown;
  try {
    rule = JSON.parse(query);
  } catch {
    throw new Unsupported("a query is not JSON");
  }
  return objectOf(withKey(rule, 0), "a query");
}

const MAX_LEVELS = 64;

/** JSONLogic with the name that the key has here. */
function withKey(rule: unknown, depth: number): unknown {
  if (depth > MAX_LEVELS) throw new Unsupported(`a query has at most ${MAX_LEVELS} levels`);
  if (Array.isArray(rule)) return rule.map((each) => withKey(each, depth + 1));
  if (!isObject(rule)) return rule;
  const isKey = (value: unknown) =>
    value === "key" || (Array.isArray(value) && value.length === 1 && value[0] === "key");
  return Object.fromEntries(
    Object.entries(rule).map(([name, args]) => [
      name,
      name === "var" && isKey(args) ? "targetingKey" : withKey(args, depth + 1),
    ]),
  );
}

/** The variation of a rule, or shares of several. */
function resultOf(flag: string, bucketing: string, variants: Json, rule: Json, note: Noting): unknown {
  const named = (name: unknown) => {
    if (typeof name === "string" && Object.hasOwn(variants, name)) return name;
    throw new Unsupported(`it has no variation ${JSON.stringify(name)}`);
  };
  if (rule["progressiveRollout"] !== undefined && rule["progressiveRollout"] !== null)
    throw new Unsupported(
      "a share of it grows by itself: import it with a fixed one, and let a ramp raise that",
    );
  const { percentage } = rule;
  if (!isObject(percentage) || Object.keys(percentage).length === 0) return named(rule["variation"]);
  const shares = Object.entries(percentage).map(([name, percent]) => {
    if (typeof percent !== "number" || percent < 0) throw new Unsupported("a percentage is no number");
    return [named(name), percent] as const;
  });
  const isWhole = shares.every(([, percent]) => Number.isInteger(percent));
  const weighted = shares.map(
    ([name, percent]) => [name, isWhole ? percent : Math.round(percent * 1000)] as const,
  );
  const [first, ...others] = weighted.filter(([, weight]) => weight > 0);
  if (!first) throw new Unsupported("its percentages select no users");
  if (others.length === 0) return first[0];
  if (shares.reduce((sum, [, percent]) => sum + percent, 0) !== 100)
    note("/percentage", "they are not 100 together: each is its part of their sum");
  const by = attributeOf(bucketing === "targetingKey" ? "key" : bucketing);
  note(
    "/percentage",
    `shares by ${by.var}: they are kept, who is in which differs; readers without it are in none`,
  );
  return fractional({ by, salt: flag, flag }, weighted);
}
