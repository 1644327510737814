import { formatBytes } from "../../src/base/bytes.ts";
import { AppError } from "../../src/base/errors.ts";
import { findInexact, inexactMessage, MAX_JSON_LEVELS } from "../../src/base/json.ts";
import { REPEATED, findRepeat } from "../../src/base/json/json-members.ts";
import { pathOf } from "../../src/documents/document.ts";

/** Limits of a value, counting what YAML aliases repeat. */
const MAX_VALUES = 5_000_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** A YAML number that a double does not hold exactly, as it is written. */
export class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON. Throws `SyntaxError`, or `invalid` with the path in `name` of a name that repeats in its object, of a
 * value that cannot be sent as JSON or, unless `rounded`, of a number that parsing would change.
 */
export function parseJson(text: string, name: string, { rounded = false } = {}): unknown {
  const value: unknown = JSON.parse(text);
  const lossy = rounded ? undefined : findInexact(text);
  if (lossy) throw inexact(name, lossy.steps, lossy.source);
  const repeated = findRepeat(text, value);
  if (repeated) throw fault(`${name}: ${pathOf(...repeated)}: ${REPEATED}`, "keep one of them");
  requireJson(value, name);
  return value;
}

/**
 * Throws `invalid` with the path in `name` of a value that cannot be sent as JSON: a cycle, a number such as Infinity,
 * or one past the limits.
 */
export function requireJson(value: unknown, name: string): void {
  let values = 0;
  let characters = 0;
  const steps: string[] = [];
  const check = (value: unknown) => {
    if ((values += 1) > MAX_VALUES) throw fault(`${name} holds more than ${MAX_VALUES} values`);
    if (typeof value === "string") characters += value.length;
    if (characters > MAX_CHARACTERS)
      throw fault(`${name} holds more than ${formatBytes(MAX_CHARACTERS)} of text`);
    if (value instanceof Inexact) throw inexact(name, steps, value.source);
    if (typeof value === "number" && !Number.isFinite(value))
      throw fault(`${name}: ${pathOf(...steps)}: ${value} is not a number in JSON`);
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
