import {
  CORE_SCHEMA,
  NOT_RESOLVED,
  YAMLException,
  dump,
  floatCoreTag,
  intCoreTag,
  load,
  loadAll,
  mergeTag,
} from "js-yaml";

import { isExact, MAX_JSON_LEVELS } from "../../src/base/json.ts";
import { Inexact, requireJson } from "./json.ts";
import { usage } from "./usage.ts";

type Resolve<T> = (source: string, isExplicit: boolean, tagName: string) => T;

/**
 * Returns an `Inexact` for a number that a double does not hold exactly, which the library rounds or reads as a text.
 */
const exactly =
  <T>(resolve: Resolve<T>): Resolve<T | Inexact> =>
  (source, ...more) => {
    const value = resolve(source, ...more);
    const isDecimal = /^[-+]?\d+(\.\d*)?([eE][-+]?\d+)?$/.test(source);
    if (isDecimal && (value !== NOT_RESOLVED || !Number.isFinite(Number(source))))
      return isExact(source.replace(/^\+/, "")) ? value : new Inexact(source);
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? new Inexact(source) : value;
  };

const SCHEMA = CORE_SCHEMA.withTags(
  mergeTag,
  { ...intCoreTag, resolve: exactly(intCoreTag.resolve) },
  { ...floatCoreTag, resolve: exactly(floatCoreTag.resolve) },
);

/**
 * Parses YAML 1.2. Throws `invalid` with the place in `name` of a syntax error or of a value that cannot be sent as
 * JSON.
 */
export function parseYaml(text: string, name: string): unknown {
  return parseBy(load, text, name);
}

/** The same of a stream: its document, or a list of them if it has several. */
export function parseYamlStream(text: string, name: string): unknown {
  const documents = parseBy(loadAll, text, name) as unknown[];
  return documents.length === 1 ? documents[0] : documents;
}

function parseBy(read: typeof load | typeof loadAll, text: string, name: string): unknown {
  let value: unknown;
  try {
    value = read(text, { schema: SCHEMA, maxDepth: MAX_JSON_LEVELS });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const where = mark ? ` line ${mark.line + 1}, column ${mark.column + 1}` : "";
    throw usage(`${name}${where}: ${reason}`);
  }
  requireJson(value, name);
  return value;
}

/** YAML 1.2 that quotes what YAML 1.1 would take for true or false. Ends with a line break. */
export function printYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, quoteStyle: "double" });
}
