import type { Value } from "../sql/work.ts";
import type { Param, Result } from "./connection.ts";
import { BYTES_BEFORE } from "./translate.ts";

/** OIDs of types (https://www.postgresql.org/docs/current/datatype-oid.html). */
const BOOLEAN = 16;
const BYTEA = 17;
const BIGINT = 20;
const NUMERIC = 1700;
const TEXTS = new Set([25, 1042, 1043]);

/** A character that no Unicode text means anything by. It stands before what is stored in the place of NUL and of itself. */
const MARK = "\u{10FFFF}";

/** A text as it is stored: PostgreSQL refuses NUL. Texts without NUL, which are all but hostile ones, stay as they are. */
function storeText(text: string): string {
  if (!text.includes("\0") && !text.includes(MARK)) return text;
  return text.replaceAll(MARK, `${MARK}1`).replaceAll("\0", `${MARK}0`);
}

/** Reverses {@link storeText}. */
function readText(stored: string): string {
  if (!stored.includes(MARK)) return stored;
  return stored.replaceAll(`${MARK}0`, "\0").replaceAll(`${MARK}1`, MARK);
}

/** A value of a statement as it is sent. */
export function paramOf(value: Value): Param {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? storeText(value) : value;
}

/** The rows of a result as SQLite gives them: numbers, texts, bytes and null. Throws on a number past the safe integers. */
export function rowsOf({ rows, columns }: Result): Record<string, Value>[] {
  const convert = columns.flatMap(({ name, type }) => {
    const converter = CONVERTERS[type] ?? (TEXTS.has(type) ? textOf : null);
    return converter === null ? [] : [[name, converter] as const];
  });
  const isCut = columns.some(({ name }) => name === BYTES_BEFORE);
  for (const row of rows) {
    for (const [name, converter] of convert) {
      const value = row[name];
      if (value !== null) row[name] = converter(value);
    }
    if (isCut) delete row[BYTES_BEFORE];
  }
  // The list of the runtime is of a class of its own, with members that others would see.
  return Array.from(rows) as Record<string, Value>[];
}

const CONVERTERS: Record<number, (value: unknown) => Value> = {
  [BOOLEAN]: (value) => (value === true ? 1 : 0),
  [BYTEA]: bytesOf,
  [BIGINT]: numberOf,
  [NUMERIC]: numberOf,
};

function textOf(value: unknown): string {
  return readText(value as string);
}

function bytesOf(value: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = value as Buffer;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function numberOf(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER)
    throw new Error(`${String(value)} is not a safe number`);
  return number;
}
