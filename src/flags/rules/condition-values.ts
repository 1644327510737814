import { AppError } from "../../base/errors.ts";
import { isExact } from "../../base/json.ts";
import { isRawNumber, numberIn } from "../../base/json/exact-json.ts";

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** Parses a value of a condition: a number, true or false; a value in quotes, and any other, is a text. Throws `invalid`. */
export function valueOf(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  if (isDoubtful(text)) {
    const asNumber = isExact(text) ? `; the number is ${Number(text)}` : "";
    const fault = isExact(text) ? "may be a number or a text" : "cannot be kept exactly as a number";
    throw new AppError("invalid", `${text} ${fault}`, {
      hint: `in quotes, it is compared as a text: "${text}"${asNumber}`,
    });
  }
  return DECIMAL.test(text) && String(Number(text)) === text ? Number(text) : bareText(text);
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Whether a text is a number that is written in another way than JavaScript does, as versions such as 1.10 are. */
function isDoubtful(text: string): boolean {
  return isRawNumber(numberIn(text));
}

/** Whether a pattern is written as JavaScript writes it, between slashes. */
export function isLiteral(text: string): boolean {
  return /^\/.+\/[dgimsuvy]*$/s.test(text);
}

/** A pattern as `matches` reads it. */
export function patternText(value: unknown): string {
  return quotedWhere(value, (text) => findFault(text) === undefined && !isLiteral(text));
}

/** Parses a value that is always a text: what is in quotes, or all of it. Throws `invalid`. */
export function bareText(text: string): string {
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  const fault = findFault(text);
  if (fault === undefined) return text;
  throw new AppError("invalid", `the value ${text} is not understood: ${fault}`, {
    ...(fault === ONE_OF ? { reason: "condition-or" } : {}),
    hint: `put a text that is meant as it is into quotes: "${text.replaceAll('"', "")}"`,
  });
}

/** Parses what has an order: a number, or a text in quotes, such as a date. Throws `invalid`. */
export function orderedOf(text: string): unknown {
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  if (NUMBER.test(text)) return Number(text);
  if (/^v?\d+\.\d+\.\d/i.test(text))
    throw new AppError("invalid", `${text} is not a number`, {
      hint: `versions are compared with sem_ver, as in version sem_ver >= ${text.replace(/^v/i, "")}`,
    });
  throw new AppError("invalid", `${text} is not a number`, {
    hint: `a number is compared as in age > 18; a text, such as a date, in quotes, by its characters: "${text.replaceAll('"', "")}"`,
  });
}

/** The text in quotes; undefined for a text without. */
export function unquoted(text: string): string | undefined {
  return /^"([^"]*)"$|^'([^']*)'$/s
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
}

const ONE_OF = "conditions of which one has to hold are rows of their own, with the same variant";

/** Why a text without quotes is probably not meant as one value; undefined if it is. */
function findFault(text: string): string | undefined {
  const [opening] = /^["'“”„‘’«[({]/.exec(text) ?? [];
  if (opening !== undefined) return `it begins with ${opening}`;
  if (/^(null|undefined)$/i.test(text)) return "no condition checks whether an attribute is missing";
  if (text.includes(",")) return "values with commas between them follow the operator in";
  const [joining] = /(?<=^|\s)(and|or)(?=\s)|(?<=\s)(and|or)$|&&|\|\||[=!<>]=/i.exec(text) ?? [];
  if (joining === undefined) return undefined;
  return joining === "||" || joining.toLowerCase() === "or"
    ? ONE_OF
    : "conditions that all have to hold are joined by and, as in plan == pro and country == AT";
}

/** Parses values between commas, also in brackets; one in quotes may hold commas itself. Throws `invalid`. */
export function listOf(text: string): unknown[] {
  const [, squared, round] = /^\[(.*)\]$|^\((.*)\)$/s.exec(text) ?? [];
  const inner = squared ?? round ?? text;
  const parts = inner.match(/\s*("[^"]*"|'[^']*'|[^,]*)\s*(,|$)/gs) ?? [];
  // The last match is the end of the text, which follows the last comma or value.
  const items = parts.slice(0, inner.trimEnd().endsWith(",") ? undefined : -1);
  if (items.length === 0) return [itemOf("")];
  return items.map((part) => itemOf(part.replace(/,$/, "").trim()));
}

function itemOf(item: string): unknown {
  const hint = 'values are separated by commas, and a text with spaces is in quotes: AT, DE, "New York"';
  if (item === "") throw new AppError("invalid", "the list has an empty value", { hint });
  const value = valueOf(item);
  if (value !== item || !/\s/.test(item)) return value;
  throw new AppError("invalid", `${item} is not one value of a list`, { hint });
}

/** A value that `textOf` and others print, in quotes if it could be read as more than a value of a condition. */
export function asOneWord(text: string): string {
  const isPlain = /^["'].*["']$/s.test(text) || !/[\s()[\],&|]|^(?:and|or|not)$/i.test(text);
  return isPlain ? text : quoted(text);
}

function quoted(text: string): string {
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}

/** A value as `valueOf` reads it. */
export function textOf(value: unknown): string {
  return quotedWhere(value, isValue);
}

/** A value as `listOf` reads it in a list. */
export function itemText(value: unknown): string {
  return quotedWhere(value, (text) => isValue(text) && !/[\s()[\]]/.test(text));
}

/** A text as `bareText` reads it. */
export function plainText(value: unknown): string {
  return quotedWhere(value, (text) => findFault(text) === undefined);
}

/** A value as `orderedOf` reads it. */
export function orderedText(value: unknown): string {
  return quotedWhere(value, () => false);
}

/** A text, number or boolean as text; empty for any other value, because its `toString` may be untrusted. */
export function scalarText(value: unknown): string {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar ? String(value) : "";
}

/** Whether a text is read as itself without quotes. */
function isValue(text: string): boolean {
  return findFault(text) === undefined && !isDoubtful(text) && valueOf(text) === text;
}

/** A text, in quotes unless it `isPlain`; any other value as its text. */
function quotedWhere(value: unknown, isPlain: (text: string) => boolean): string {
  if (typeof value !== "string") return scalarText(value);
  if (isPlain(value) && value !== "" && value.trim() === value) return value;
  return quoted(value);
}
