import { AppError } from "../../base/errors.ts";
import { ruleOfComparison } from "./conditions.ts";
import {
  EXAMPLE,
  faultAt,
  isNext,
  type Scanner,
  skipSpace,
  take,
  takeOperator,
  takeValue,
} from "./condition-scanner.ts";

type Rule = Record<string, unknown>;

/** Characters of a condition, and brackets in brackets. */
const MAX_CONDITION = 8192;
const MAX_DEPTH = 20;

const ATTRIBUTE = /[^\s"'()[\]{},<>=!&|]+/y;
const OR = /or(?![^\s(!])|\|\|/iy;
const AND = /and(?![^\s(!])|&&/iy;
const NOT = /!(?!=)/y;
const SYMBOL_AHEAD = /\s*[=!<>]/y;
const SEGMENT = /(?:users?\s+)?(?:(?:is|are)\s+)?in\s+(?:the\s+)?segment(?=\s)/iy;
const NOT_SEGMENT = /(?:users?\s+)?(?:(?:is|are)\s+)?not\s+in\s+(?:the\s+)?segment(?=\s)/iy;
const NAME = /"[^"]+"|'[^']+'|[^\s"'()[\]{},<>=!&|]+/y;

/**
 * Parses a condition in words, such as `age >= 18 and (segment staff or not country in AT, DE)`, into a JSONLogic rule.
 * Takes linear time; the length is limited. Throws `invalid` with the column that was not understood.
 */
export function ruleOfCondition(text: string): Rule {
  if (text.length > MAX_CONDITION)
    throw new AppError("invalid", `a condition has at most ${MAX_CONDITION} characters`, {
      hint: "put a part of it into a segment: 'segment staff'",
    });
  if (text.trim() === "") throw new AppError("invalid", "the condition is empty", { hint: EXAMPLE });
  const scanner: Scanner = { text, at: 0, depth: 0 };
  const rule = readJoined(scanner);
  if (scanner.at === text.length) return rule;
  const rest = text.slice(scanner.at, scanner.at + 20);
  throw faultAt(scanner.at, `${rest} is not expected`, "join conditions by and or or");
}

/** Conditions that `or` joins; `and` binds them closer. */
function readJoined(scanner: Scanner): Rule {
  return joined(scanner, OR, "or", () => joined(scanner, AND, "and", () => readOperand(scanner)));
}

function joined(scanner: Scanner, word: RegExp, operation: "and" | "or", read: () => Rule): Rule {
  const rules = [read()];
  for (skipSpace(scanner); take(scanner, word) !== undefined; skipSpace(scanner)) rules.push(read());
  return rules.length === 1 ? rules[0]! : { [operation]: rules };
}

function readOperand(scanner: Scanner): Rule {
  skipSpace(scanner);
  const start = scanner.at;
  if (start === scanner.text.length) throw faultAt(start, "a condition is missing");
  if (scanner.text[start] === "(") return nested(scanner, start, readGroup);
  if (take(scanner, NOT) !== undefined) return negated(scanner, start);
  if (take(scanner, SEGMENT) !== undefined) return readSegment(scanner);
  if (take(scanner, NOT_SEGMENT) !== undefined) return { "!": [readSegment(scanner)] };
  const attribute = take(scanner, ATTRIBUTE);
  if (attribute === undefined)
    throw faultAt(start, "a condition begins with an attribute of one word, such as email or user.plan");
  const word = attribute.toLowerCase();
  if (word === "not" && !isNext(scanner, SYMBOL_AHEAD)) return negated(scanner, start);
  return readComparison(scanner, attribute);
}

function negated(scanner: Scanner, start: number): Rule {
  return { "!": [nested(scanner, start, readOperand)] };
}

function readGroup(scanner: Scanner): Rule {
  const start = scanner.at;
  scanner.at += 1;
  const rule = readJoined(scanner);
  if (scanner.text[scanner.at] !== ")")
    throw scanner.at === scanner.text.length
      ? faultAt(start, "the bracket is not closed")
      : faultAt(scanner.at, "a closing bracket is missing");
  scanner.at += 1;
  return rule;
}

function nested(scanner: Scanner, start: number, read: (scanner: Scanner) => Rule): Rule {
  if (scanner.depth === MAX_DEPTH)
    throw faultAt(start, `conditions are in at most ${MAX_DEPTH} others`, "put a part of it into a segment");
  scanner.depth += 1;
  const rule = read(scanner);
  scanner.depth -= 1;
  return rule;
}

function readComparison(scanner: Scanner, attribute: string): Rule {
  skipSpace(scanner);
  const operatorAt = scanner.at;
  const read = takeOperator(scanner);
  skipSpace(scanner);
  const valueAt = scanner.at;
  const value = read === undefined ? "" : takeValue(scanner);
  const isSegment = attribute.toLowerCase() === "segment" && (read === undefined || value === "");
  if (isSegment) {
    scanner.at = operatorAt;
    return readSegment(scanner);
  }
  if (read === undefined) throw missingOperator(scanner, attribute, operatorAt);
  if (value === "") throw faultAt(valueAt, `the condition on ${attribute} has no value`);
  const { operator, isNegated } = read;
  try {
    const rule = ruleOfComparison({ attribute, operator, value });
    return isNegated ? { "!": [rule] } : rule;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [first = "", ...others] = value.split(",").map((each) => each.trim());
    const isList = others.length > 0 && ["contains", "starts_with", "ends_with"].includes(operator);
    const each = `${attribute} ${operator} `;
    const hint = isList
      ? `join conditions by or: ${[first, ...others.slice(0, 1)].map((one) => each + one).join(" or ")}`
      : error.hint;
    throw faultAt(valueAt, error.message, hint ?? undefined);
  }
}

function missingOperator(scanner: Scanner, attribute: string, at: number): AppError {
  const [word] = /^\S*/.exec(scanner.text.slice(at, at + 40)) ?? [""];
  const isJoined = /(?:and|or|&&|\|\|)\s+$/i.test(scanner.text.slice(0, at - attribute.length).slice(-20));
  if (isJoined)
    return faultAt(
      at,
      `${attribute} is not compared with anything`,
      "each side of and and of or is a condition: plan == pro or plan == team; several values follow in: plan in pro, team; a text with spaces is in quotes",
    );
  if (word === "" || word === ")")
    return faultAt(
      at,
      `an operator is missing after ${attribute}, such as ==`,
      `write ${attribute} == true for an attribute that is true, ${attribute} == … for one with a value`,
    );
  return faultAt(
    at,
    `unknown operator ${word}`,
    OTHER_OPERATORS.find(([words]) => words.test(word))?.[1] ??
      "choose one of ==, !=, <, <=, >, >=, in, not in, contains, starts_with, ends_with, sem_ver, matches, in_cidr, before, after",
  );
}

/** Operators of other languages, and what a condition has in their place. */
const OTHER_OPERATORS: [words: RegExp, hint: string][] = [
  [
    /^(?:match|like|regex|regexp|~|=~)$/i,
    "write matches with a regular expression; starts_with, ends_with and contains compare parts of a text",
  ],
  [/^between$/i, "write two conditions: age >= 18 and age <= 30"],
  [/^(?:startsWith|begins|begins_with|prefix)$/i, "write starts_with"],
  [/^(?:endsWith|suffix)$/i, "write ends_with"],
  [/^(?:includes|has)$/i, "write contains"],
  [/^(?:cidr|network|ip)$/i, "write in_cidr"],
  [/^(?:since|until|till)$/i, "write after or before, with a time such as 2026-01-31T12:00:00Z"],
  [/^(?:equals?|eq)$/i, "write =="],
  [/^(?:neq|ne|isnt)$/i, "write !="],
  [/^(?:gt|gte|lt|lte|greater|less|over|above|under|below)$/i, "write >, >=, < or <="],
  [/^any$/i, "several values follow in: plan in pro, team"],
];

function readSegment(scanner: Scanner): Rule {
  skipSpace(scanner);
  const start = scanner.at;
  const name = take(scanner, NAME);
  if (name === undefined) throw faultAt(start, "the name of a segment is missing", "write segment staff");
  return { $ref: /^["']/.test(name) ? name.slice(1, -1) : name };
}
