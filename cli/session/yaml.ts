import {
  CORE_SCHEMA,
  NOT_RESOLVED,
  YAMLException,
  boolCoreTag,
  dump,
  floatCoreTag,
  intCoreTag,
  load,
  loadAll,
  mapTag,
  mergeTag,
  nullCoreTag,
  seqTag,
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

/** A value whose text differs from how it was written: `1.20`, `0x10`, `True`, `~`. */
class Written {
  readonly source: string;
  readonly value: unknown;
  constructor(source: string, value: unknown) {
    this.source = source;
    this.value = value;
  }
}

const asWritten =
  <T>(resolve: Resolve<T>): Resolve<unknown> =>
  (source, ...more) => {
    const value = resolve(source, ...more);
    const isSame = value === NOT_RESOLVED || value instanceof Inexact || String(value) === source;
    return isSame ? value : new Written(source, value);
  };

/** A key is the text that was written, whatever value that is. */
const keyOf = (key: unknown) => (key instanceof Written || key instanceof Inexact ? key.source : key);
const valueOf = (value: unknown) => (value instanceof Written ? value.value : value);

const SCHEMA = CORE_SCHEMA.withTags(
  mergeTag,
  { ...nullCoreTag, resolve: asWritten(nullCoreTag.resolve) },
  { ...boolCoreTag, resolve: asWritten(boolCoreTag.resolve) },
  { ...intCoreTag, resolve: asWritten(exactly(intCoreTag.resolve)) },
  { ...floatCoreTag, resolve: asWritten(exactly(floatCoreTag.resolve)) },
  { ...seqTag, addItem: (list, item, index) => seqTag.addItem(list, valueOf(item), index) },
  {
    ...mapTag,
    addPair: (map, key, value) => mapTag.addPair(map, keyOf(key), valueOf(value)),
    has: (map, key) => mapTag.has(map, keyOf(key)),
  },
);

/**
 * Parses YAML 1.2. Throws `invalid` with the place in `name` of a syntax error or of a value that cannot be sent as
 * JSON.
 */
export function parseYaml(text: string, name: string): unknown {
  return parseBy((...each) => valueOf(load(...each)), text, name);
}

/** The same of a stream: its document, or a list of them if it has several. */
export function parseYamlStream(text: string, name: string): unknown {
  const documents = parseBy((...each) => loadAll(...each).map(valueOf), text, name) as unknown[];
  return documents.length === 1 ? documents[0] : documents;
}

function parseBy(read: (...each: Parameters<typeof load>) => unknown, text: string, name: string): unknown {
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
