import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { Card, RecordOf } from "../../base/kinds/kinds.ts";
import { hasVisible } from "../../base/normalize.ts";
import type { Context } from "../flagd/evaluate.ts";
import { scalarText, valueOf } from "../rules/condition-values.ts";

/** Characters of a name. */
const MAX_NAME = 200;

/** Why a text is not the name of a test context, such as `Ann`; undefined if it is. */
export function findNameFault(name: string): string | undefined {
  if (!hasVisible(name) || name.trim() !== name)
    return "a name has a character that can be seen, and no space at its ends";
  if (name.length > MAX_NAME) return `a name has at most ${MAX_NAME} characters`;
  // An address drops the segments of one and two dots.
  if (name === "." || name === "..") return `${name} is not a name`;
  return /[\p{Cc}/]/u.test(name) ? "a name has no slash and no control characters" : undefined;
}

/** The fields of a test context. */
export const TEST_CONTEXT = {
  name: {
    kind: { is: "named", what: "a test context" },
    required: true,
    option: ["[name]", "name of the test context"],
    label: "Person",
  },
  context: {
    kind: { is: "context" },
    option: [
      "context <context>",
      "pairs such as plan=beta, country=DE, or JSON, @FILE, or - for standard input",
    ],
    label: "Context",
    hint: "Such as plan=beta, country=DE, or JSON.",
  },
} as const satisfies Card;

/** Times are milliseconds since 1970. */
export type TestContext = RecordOf<typeof TEST_CONTEXT> & { createdAt: number; updatedAt: number };

export function noSuchTestContext(name: string): AppError {
  return new AppError("not_found", `test context "${name}" does not exist`, {
    reason: "test-context-not-found",
  });
}

const HINT = "write pairs such as plan=beta, country=DE, or a JSON object";

/** A context as people write it: `plan=beta, age=21, country="DE"`, or a JSON object. Throws `invalid`. */
export function parseTestContext(text: string): Context {
  const source = text.trim();
  if (source.startsWith("{")) return parseObject(source);
  const context: Context = {};
  const parts = source.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? [];
  for (const part of parts) {
    const [, name, value] = /^\s*([^\s=]+)\s*=\s*(\S.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined || value === undefined)
      throw new AppError("invalid", `"${part.trim()}" is not a pair`, { hint: HINT });
    Object.defineProperty(context, name, {
      value: name === "targetingKey" ? textOf(value) : valueOf(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return context;
}

/** A key of users is a text, also where it is made of digits. */
function textOf(value: string): string {
  return /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value;
}

function parseObject(source: string): Context {
  try {
    const value: unknown = JSON.parse(source);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError("invalid", "the context is not a JSON object", { hint: HINT });
}

/** A context as `parseTestContext` reads it: pairs, or JSON where pairs cannot say it. */
export function testContextText(context: Context): string {
  const pairs = Object.entries(context).map(([name, value]) => `${name}=${pairText(name, value)}`);
  const words = pairs.join(", ");
  try {
    if (Bun.deepEquals(parseTestContext(words), context, true)) return words;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return JSON.stringify(context);
}

function pairText(name: string, value: unknown): string {
  const text = scalarText(value);
  const isPlain =
    name === "targetingKey" || typeof value !== "string" || /^[\w.@+-]*[a-z_@][\w.@+-]*$/i.test(text);
  return isPlain && text !== "true" && text !== "false"
    ? text
    : typeof value === "string"
      ? `"${text}"`
      : text;
}
