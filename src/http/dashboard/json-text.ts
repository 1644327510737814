import { type ParseError, findNodeAtLocation, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import { REPEATED, findRepeat } from "../../base/json/json-members.ts";
import { MAX_JSON_LEVELS, findInexact, inexactMessage, isDeeper } from "../../base/json.ts";

const FAULTS: Record<string, string> = {
  InvalidSymbol: "this is not JSON: strings need double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "there is text after the end",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfString: "a closing quote is missing",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidUnicode: "this is not the number of a character",
  InvalidEscapeCharacter: "this character cannot follow a backslash",
  InvalidCharacter: "this character is not allowed in a string",
};

export type Parsed = { value: unknown; fault?: undefined } | { fault: string };

/** Parses typed JSON. An error has its position: `in line 3, column 9: a comma is missing`. */
export function parseJson(text: string): Parsed {
  if (isDeeper(new TextEncoder().encode(text), MAX_JSON_LEVELS))
    return { fault: `there are more than ${MAX_JSON_LEVELS} levels` };
  try {
    const value: unknown = JSON.parse(text);
    const repeated = findRepeat(text, value);
    if (repeated) return { fault: `${repeated.at(-1)}: ${REPEATED}` };
    const inexact = findInexact(text);
    if (!inexact) return { value };
    const at = text.indexOf(inexact.source);
    return {
      fault: `in line ${lineAt(text, at)}, column ${columnAt(text, at)}: ${inexactMessage(inexact.source)}`,
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { fault: faultIn(text) };
  }
}

function faultIn(text: string): string {
  const faults: ParseError[] = [];
  parse(text, faults, { disallowComments: true });
  const [first] = faults;
  if (!first) return "this is not JSON";
  const { error, offset } = first;
  // The parser names the token behind a gap; the end of the text is behind its last character.
  const at = Math.min(offset, text.trimEnd().length);
  return `in line ${lineAt(text, at)}, column ${columnAt(text, at)}: ${FAULTS[printParseErrorCode(error)] ?? "this is not JSON"}`;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function columnAt(text: string, offset: number): number {
  return offset === 0 ? 1 : offset - text.lastIndexOf("\n", offset - 1);
}

/** The line of a JSON text on which the value at a JSON pointer (RFC 6901) begins, or null. */
export function lineOfPointer(text: string, pointer: string): number | null {
  return positionOfPointer(text, pointer)?.line ?? null;
}

/** The line and the column, from 1, at which the value at a JSON pointer begins, or null. */
export function positionOfPointer(text: string, pointer: string): { line: number; column: number } | null {
  const root = parseTree(text);
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let node = root;
  for (const step of steps) {
    const isList: boolean = node?.type === "array";
    node = node && findNodeAtLocation(node, [isList ? Number(step) : step]);
  }
  return node ? { line: lineAt(text, node.offset), column: columnAt(text, node.offset) } : null;
}
