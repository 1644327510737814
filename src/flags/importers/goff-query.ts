import { own } from "../../base/shapes/own.ts";
import { type Noting, Unsupported } from "./draft.ts";
import {
  and,
  attribute,
  isGiven,
  isNumber,
  isVersion,
  literally,
  not,
  or,
  type Rule,
  version,
} from "./logic.ts";

type Token = { kind: "word" | "text" | "number" | "version" | "mark"; text: string };

const TOKENS =
  /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\d+\.\d+\.\d+[\w.+-]*)|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])|([A-Za-z_][\w.:-]*)|(==|!=|<=|>=|&&|\|\||[()[\],<>]))/y;

const OPERATORS: Readonly<Record<string, string>> = {
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};
const NAMES = new Set(["eq", "ne", "lt", "le", "gt", "ge", "co", "sw", "ew", "in", "pr"]);
const SYMBOLS: Readonly<Record<string, string>> = { lt: "<", le: "<=", gt: ">", ge: ">=" };
const MAX_NESTED = 50;

/** A query such as `plan eq "pro" and (age gt 17)`. `and` and `or` bind alike, from the left. Throws `Unsupported`. */
export function queryRule(query: string, note: Noting): Rule {
  const tokens = tokensOf(query);
  let at = 0;
  const fail = (): never => {
    throw new Unsupported(`the query ${JSON.stringify(query.slice(0, 200))} is not understood`);
  };
  const next = () => tokens[at++] ?? fail();
  const isMark = (...texts: string[]) => {
    const token = tokens[at];
    return token !== undefined && token.kind !== "text" && texts.includes(token.text.toLowerCase());
  };
  const expectMark = (text: string) => {
    if (!isMark(text)) fail();
    at += 1;
  };
  const joined = (depth: number): Rule => {
    let rule = operand(depth);
    const words = new Set<string>();
    while (isMark("and", "&&", "or", "||")) {
      const isAnd = ["and", "&&"].includes(next().text.toLowerCase());
      words.add(isAnd ? "and" : "or");
      const right = operand(depth);
      rule = isAnd ? and(rule, right) : or(rule, right);
    }
    if (words.size === 2) note("", "and and or bind alike there, from the left: the rule is grouped so");
    return rule;
  };
  const operand = (depth: number): Rule => {
    if (depth > MAX_NESTED) throw new Unsupported(`a query has brackets in at most ${MAX_NESTED} others`);
    const isNegated = isMark("not");
    if (isNegated) at += 1;
    if (isNegated || isMark("(")) {
      expectMark("(");
      const rule = joined(depth + 1);
      expectMark(")");
      return isNegated ? not(rule) : rule;
    }
    const name = next();
    const word = next().text.toLowerCase();
    const operator = own(OPERATORS, word) ?? word;
    if (name.kind !== "word" || !NAMES.has(operator)) fail();
    const value = attributeOf(name.text);
    if (operator === "pr") return isGiven(value);
    if (operator !== "in") return comparison(operator, value, next(), note);
    expectMark("[");
    const items: Token[] = [];
    while (!isMark("]")) {
      items.push(next());
      if (isMark(",")) at += 1;
    }
    at += 1;
    return or(...items.map((item) => comparison("eq", value, item, note)));
  };
  const rule = joined(0);
  return at === tokens.length ? rule : fail();
}

function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  TOKENS.lastIndex = 0;
  while (TOKENS.lastIndex < query.trimEnd().length) {
    const [, double, single, version, number, word, mark] = TOKENS.exec(query) ?? [];
    const text = double ?? single;
    if (text !== undefined) tokens.push({ kind: "text", text: text.replaceAll(/\\(.)/g, "$1") });
    else if (version !== undefined) tokens.push({ kind: "version", text: version });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (word !== undefined) tokens.push({ kind: "word", text: word });
    else if (mark !== undefined) tokens.push({ kind: "mark", text: mark });
    else throw new Unsupported(`the query ${JSON.stringify(query.slice(0, 200))} is not understood`);
  }
  return tokens;
}

/** An attribute of the context; its key has two names. */
export function attributeOf(name: string): { var: string } {
  return name === "key" ? attribute("targetingKey") : attribute(...name.split("."));
}

/** Whether an attribute compares so. One that is missing or of another type does not, whatever the operator. */
function comparison(operator: string, value: { var: string }, { kind, text }: Token, note: Noting): Rule {
  switch (kind) {
    case "text":
      return textRule(operator, value, text, note);
    case "number":
      return numberRule(operator, value, text);
    case "version":
      return versionRule(operator, value, text);
    case "word":
      return wordRule(operator, value, text);
    case "mark":
    default:
      throw new Unsupported(`${text} is not a value of a query`);
  }
}

function never(operator: string): never {
  throw new Unsupported(`the operator ${operator} does not fit its value`);
}

/** Texts are compared without their case. */
function textRule(operator: string, value: { var: string }, text: string, note: Noting): Rule {
  const pattern = literally(text);
  const same: Rule = { matches: [value, `(?is)^${pattern}$`] };
  switch (operator) {
    case "eq":
      return same;
    case "ne":
      return and({ matches: [value, ""] }, not(same));
    case "co":
      return { matches: [value, `(?is)${pattern}`] };
    case "sw":
      return { matches: [value, `(?is)^${pattern}`] };
    case "ew":
      return { matches: [value, `(?is)${pattern}$`] };
    default:
      note("", "texts are ordered with their case, which makes no difference there");
      return and(
        { matches: [value, ""] },
        { [own(SYMBOLS, operator) ?? never(operator)]: [value, text.toLowerCase()] },
      );
  }
}

/** An attribute that is compared with a whole number loses its fraction. */
function numberRule(operator: string, value: { var: string }, text: string): Rule {
  const whole = { "-": [value, { "%": [value, 1] }] };
  const left = /^-?\d+$/.test(text) ? whole : value;
  const number = Number(text);
  const symbol = own({ eq: "===", ne: "!==", ...SYMBOLS }, operator) ?? never(operator);
  return and(isNumber(value), { [symbol]: [left, number] });
}

function versionRule(operator: string, value: { var: string }, text: string): Rule {
  if (!isVersion(text)) throw new Unsupported(`${text} is not a version`);
  const symbol = own({ eq: "=", ne: "!=", ...SYMBOLS }, operator) ?? never(operator);
  return version(value, symbol, text);
}

function wordRule(operator: string, value: { var: string }, text: string): Rule {
  if (operator !== "eq" && operator !== "ne") never(operator);
  if (text === "null") return operator === "eq" ? not(isGiven(value)) : isGiven(value);
  if (text !== "true" && text !== "false") throw new Unsupported(`${text} is not a value of a query`);
  return { "===": [value, (text === "true") === (operator === "eq")] };
}
