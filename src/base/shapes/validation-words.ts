import { own } from "./own.ts";
import type * as z from "zod/mini";
import { isStructure } from "../json.ts";

const NOUNS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "a mail address",
  url: "a URL",
  datetime: "a time as 2027-01-31T00:00:00Z",
  date: "a day as 2027-01-31",
};

const UNITS: Readonly<Record<string, string>> = { string: "character", array: "item", map: "entry" };

/** The words for a fault that a schema has no words for. They follow the path of the value: `it` is the value. */
export function wordsFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeFault(issue.expected, issue.input);
    case "invalid_value":
      return `it has to be ${listOf(issue.values.map(String))}`;
    case "too_small":
      return `it has to ${amount(issue, issue.inclusive ? "at least" : "more than", Number(issue.minimum))}`;
    case "too_big":
      return `it has to ${amount(issue, issue.inclusive ? "at most" : "less than", Number(issue.maximum))}`;
    case "invalid_format":
      return `it has to be ${FORMATS[issue.format] ?? `a text like ${issue.pattern ?? issue.format}`}`;
    case "not_multiple_of":
      return `it has to be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}${knownKeys(issue.inst)}`;
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    default:
      return "it has another shape than it may have";
  }
}

function typeFault(expected: string, input: unknown): string {
  const noun = own(NOUNS, expected);
  const wanted = `it has to be ${noun ?? expected}`;
  if (input === undefined) return `it is missing: ${wanted}`;
  const given = nounOf(input);
  return given === null || given === noun ? wanted : `${wanted}, not ${given}`;
}

/** Null for a text that is no number, as a parameter of a URL. */
function nounOf(input: unknown): string | null {
  if (typeof input === "number") return Number.isNaN(input) ? null : "a number";
  if (Array.isArray(input)) return "a list";
  return NOUNS[isStructure(input) ? "object" : input === null ? "null" : typeof input] ?? null;
}

function amount({ origin }: { origin: string }, bound: string, size: number): string {
  const unit = own(UNITS, origin);
  return unit === undefined ? `be ${bound} ${size}` : `have ${bound} ${size} ${unit}${size === 1 ? "" : "s"}`;
}

function listOf(values: readonly string[]): string {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

/** The keys of the object that has another one; `schema` is what found it. */
function knownKeys(schema: z.core.$ZodRawIssue["inst"]): string {
  const def = schema?._zod.def as { shape?: object } | undefined;
  const keys = Object.keys(def?.shape ?? {});
  return keys.length === 0 ? "" : `; the keys are ${keys.join(", ")}`;
}
