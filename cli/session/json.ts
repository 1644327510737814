import { formatBytes } from "../../src/base/bytes.ts";
import { AppError } from "../../src/base/errors.ts";
import { findInexact, inexactMessage, MAX_JSON_LEVELS } from "../../src/base/json.ts";
import { pathOf } from "../../src/documents/document.ts";

/** What a value may hold, counting what the aliases of YAML repeat. */
const MAX_VALUES = 5_000_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** A number of YAML that would be another one once read, as it is written. */
export class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Reads JSON. Throws `SyntaxError`, `invalid` with the place of a fault in `name`: also for a number that reading would
 * change, unless it may be `rounded`.
 */
export function parseJson(text: string, name: string, { rounded = false } = {}): unknown {
  const value: unknown = JSON.parse(text);
  const found = rounded ? undefined : findInexact(text);
  if (found) throw inexact(name, found.steps, found.source);
  requireJson(value, name);
  return value;
}

/**
 * Throws `invalid` with the place in `name` of what cannot be sent as JSON: values that hold themselves or each other
 * without end, and numbers that JSON does not have.
 */
export function requireJson(value: unknown, name: string): void {
  let values = 0;
  let characters = 0;
  const steps: string[] = [];
  const check = (value: unknown) => {
    if ((values += 1) > MAX_VALUES) throw fault(`${name} holds more than ${MAX_VALUES} values`);
    if (typeof value === "string") characters += value.length;
    if (characters > MAX_CHARACTERS)
      throw fault(`${name} holds more than ${formatBytes(MAX_CHARACTERS)} of texts`);
    if (value instanceof Inexact) throw inexact(name, steps, value.source);
    if (typeof value === "number" && !Number.isFinite(value))
      throw fault(`${name}: ${pathOf(...steps)}: ${value} is no number in JSON`);
    if (typeof value !== "object" || value === null) return;
    if (steps.length === MAX_JSON_LEVELS)
      throw fault(
        `${name} has more than ${MAX_JSON_LEVELS} levels, or refers to itself: ${pathOf(...steps.slice(0, 5))}`,
      );
    for (const [key, each] of Object.entries(value)) {
      characters += key.length;
      steps.push(key);
      check(each);
      steps.pop();
    }
  };
  check(value);
}

function inexact(name: string, steps: string[], source: string) {
  const place = steps.length === 0 ? name : `${name}: ${pathOf(...steps)}`;
  return fault(`${place}: ${inexactMessage(source)}`, "write it as a text, in quotes");
}

function fault(message: string, hint?: string): AppError {
  return new AppError("invalid", message, { hint });
}
