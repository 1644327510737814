import { createTurns } from "./event-loop.ts";
import { isRawNumber } from "./json/exact-json.ts";

/** Levels of a request body or of a file that a command reads. Single values have lower limits. */
export const MAX_JSON_LEVELS = 200;

/** The number of nested containers: 0 for `1`, 1 for `{"a":1}`. Counts to `limit` + 1 at most. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (limit === 0) return 1;
  let deepest = 0;
  for (const child of childrenOf(value)) {
    const depth = depthOf(child, limit - 1);
    if (depth > deepest) deepest = depth;
    if (deepest > limit - 1) break;
  }
  return deepest + 1;
}

/** The items of an array or the values of an object. `Object.values` of a long array takes thirty times as long. */
export function childrenOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value);
}

/**
 * Whether a value holds so much that its JSON has more than `limit` characters, found in time linear in `limit`. Escapes and
 * white space are not counted.
 */
export function isLargerThan(limit: number, value: unknown): boolean {
  let left = limit;
  const take = (each: unknown): void => {
    left -= typeof each === "string" ? each.length : 1;
    if (left < 0 || typeof each !== "object" || each === null) return;
    for (const child of childrenOf(each)) {
      take(child);
      if (left < 0) return;
    }
  };
  take(value);
  return left < 0;
}

// Scanned by hand, also in json-members.ts: the scanner of jsonc-parser decodes each text, which takes four times as long
// if texts are long, and cannot scan the bytes that `isDeeper` checks.
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether JSON, as bytes that may turn out not to be JSON, has more than `limit` nested containers. This is checked
 * before parsing, which needs eighty megabytes and a fifth of a second for a megabyte of brackets.
 */
export function isDeeper(json: Uint8Array, limit: number): boolean {
  // Searched natively, an ordinary text costs a tenth of the loop below.
  if (!hasMore(json, limit)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      for (at += 1; at < json.length && json[at] !== QUOTE; at += 1) if (json[at] === BACKSLASH) at += 1;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** Whether more than `limit` brackets open, in strings or not. */
function hasMore(json: Uint8Array, limit: number): boolean {
  let count = 0;
  for (const byte of [OPEN_OBJECT, OPEN_LIST]) {
    for (let at = json.indexOf(byte); at !== -1; at = json.indexOf(byte, at + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

/** Matches wherever a number may be inexact; a match inside a string only costs the time of the full check. */
const SUSPECT = /(?<![\d.])\d{16}|[eE]\+?\d{3}/;
/** Characters that a match may reach back over, with the character that must not precede it. */
const REACH = 20;
/** Characters that are searched at once. */
const PART = 262_144;
const [COMMA, COLON, MINUS, PLUS, POINT, ZERO, NINE] = [0x2c, 0x3a, 0x2d, 0x2b, 0x2e, 0x30, 0x39];

/** A number that parsing would change silently, with the keys and indexes that lead to it. */
type Inexact = { steps: string[]; source: string };

/** The first inexact number in a JSON text. Undefined without one, or if the text is not JSON. */
export function findInexact(json: string): Inexact | undefined {
  if (!SUSPECT.test(json)) return undefined;
  const found = scanInexact({ at: 0, steps: [], text: "" }, json, json.length);
  return found && isJson(json) ? found : undefined;
}

/** As {@link findInexact}, of a valid JSON text that may have megabytes: other work takes its turns. */
export async function findInexactInTurns(json: string): Promise<Inexact | undefined> {
  const takeTurns = createTurns();
  const scan: Scan = { at: 0, steps: [], text: "" };
  let suspect = 0;
  while (suspect < json.length && !SUSPECT.test(json.slice(Math.max(0, suspect - REACH), suspect + PART))) {
    suspect += PART;
    await takeTurns();
  }
  if (suspect >= json.length) return undefined;
  while (scan.at < json.length) {
    const found = scanInexact(scan, json, scan.at + PART);
    if (found) return found;
    await takeTurns();
  }
  return undefined;
}

/** Progress of a search: `steps` are the positions in each open container, an index or a key as JSON. */
type Scan = { at: number; steps: (number | string)[]; text: string };

function scanInexact(scan: Scan, json: string, end: number): Inexact | undefined {
  const { steps } = scan;
  let { at, text } = scan;
  for (; at < json.length && at < end; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const start = at;
      at = endOfString(json, at);
      text = json.slice(start, at + 1);
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const start = at;
      while (isNumberCharacter(json.charCodeAt(at + 1))) at += 1;
      // No shorter number is too large or too exact.
      if (at - start < 4) continue;
      const source = json.slice(start, at + 1);
      if (!isExact(source)) return { steps: steps.map(stepName), source };
    } else if (code === COMMA) {
      const step = steps.at(-1);
      if (typeof step === "number") steps[steps.length - 1] = step + 1;
    } else if (code === COLON) steps[steps.length - 1] = text;
    else if (code === OPEN_LIST) steps.push(0);
    else if (code === OPEN_OBJECT) steps.push('""');
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) steps.pop();
  }
  Object.assign(scan, { at, text });
  return undefined;
}

/** The position of the quote that closes the string whose opening quote is at `start`; the length without one. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

function isNumberCharacter(code: number): boolean {
  const isSign = code === MINUS || code === PLUS || code === POINT;
  return (code >= ZERO && code <= NINE) || isSign || code === 0x65 || code === 0x45;
}

/**
 * Whether parsing preserves a JSON number: an integer has to keep all of its digits; a number with a fraction or an
 * exponent may be rounded, but must not overflow.
 */
export function isExact(source: string): boolean {
  const value = Math.abs(Number(source));
  if (!Number.isFinite(value)) return false;
  if (source.length < 16 || !/^-?\d+$/.test(source)) return true;
  const [digits = "", exponent = 0] = String(value).split("e+");
  const [whole = "", fraction = ""] = digits.split(".");
  return BigInt(whole + fraction.padEnd(Number(exponent), "0")) === BigInt(source.replace("-", ""));
}

export function inexactMessage(source: string): string {
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  const value = Number(source);
  return Number.isFinite(value)
    ? `${shown} cannot be kept exactly: it would become ${value}`
    : `${shown} is larger than any number that can be kept`;
}

function stepName(step: number | string): string {
  return typeof step === "number" ? String(step) : (JSON.parse(step) as string);
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** The value of a text in JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object: not null, not an array, and not a number as it was written. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isStructure(value) && !Array.isArray(value);
}

/** Whether a JSON value is an array or an object. */
export function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isRawNumber(value);
}
