import * as z from "zod/mini";
import { AppError } from "../../base/errors.ts";
import { type Turns, createTurns } from "../../base/event-loop.ts";
import { childrenOf, isObject } from "../../base/json.ts";
import { setMember } from "../../base/json/json-turns.ts";
import { BODY_LIMITS } from "../limits.ts";

/** Values of a section that are checked at once, in about a millisecond. */
const PART = 1000;

type Schema = z.core.$ZodType;

/** The faults of a value, each with the path of names to it. */
export class ShapeError extends Error {
  readonly issues: readonly z.core.$ZodIssue[];
  constructor(issues: readonly z.core.$ZodIssue[]) {
    super("the value does not have the shape");
    this.issues = issues;
  }
}

/**
 * Parses a value with a schema. The entries of its sections (the records of a schema) are parsed in turns with other
 * work, because a document may have a million of them. Throws `ShapeError`, and `invalid` beyond `BODY_LIMITS`.
 */
export function parseShape(schema: Schema, value: unknown, path: readonly string[] = []): Promise<unknown> {
  return parseAt({ path, takeTurns: createTurns() }, schema, value);
}

type Place = { path: readonly string[]; takeTurns: Turns };

async function parseAt(place: Place, schema: Schema, value: unknown): Promise<unknown> {
  await place.takeTurns();
  const { def } = schema._zod as unknown as { def: Definition };
  if (!isObject(value) || !holdsSection(schema)) {
    sizeOf(place.path, value);
    return parse(place.path, schema, value);
  }
  if (def.type === "object") return parseObject(place, schema, def.shape, value);
  if (def.type === "record") return parseSection(place, schema, def.valueType, value);
  return parseAt(place, def.innerType, value);
}

type Definition =
  | { type: "object"; shape: Record<string, Schema> }
  | { type: "record"; valueType: Schema; checks?: readonly unknown[] }
  | { type: "optional"; innerType: Schema };

/** Whether a schema is a section, a record without checks of the whole, or an object of sections. */
function holdsSection(schema: Schema): boolean {
  const { def } = schema._zod as unknown as { def: Definition };
  if (def.type === "record") return (def.checks ?? []).length === 0;
  if (def.type === "optional") return holdsSection(def.innerType);
  return def.type === "object" && Object.values(def.shape).some(holdsSection);
}

async function parseObject(
  place: Place,
  schema: Schema,
  shape: Record<string, Schema>,
  value: Record<string, unknown>,
): Promise<unknown> {
  const sections: [string, Schema, object][] = [];
  const rest: Record<string, unknown> = {};
  let names = 0;
  for (const name in value) {
    const [member, inner] = [value[name], Object.hasOwn(shape, name) ? shape[name] : undefined];
    if ((names += 1) > BODY_LIMITS.names) throw tooMany(place.path);
    const isSection = inner !== undefined && isObject(member) && holdsSection(inner);
    if (isSection) sections.push([name, inner, member]);
    else sizeOf([...place.path, name], member);
    setMember(rest, name, isSection ? {} : member);
  }
  const parsed = parse(place.path, schema, rest) as Record<string, unknown>;
  for (const [name, inner, member] of sections)
    parsed[name] = await parseAt({ ...place, path: [...place.path, name] }, inner, member);
  return parsed;
}

async function parseSection(
  place: Place,
  schema: Schema,
  valueType: Schema,
  section: Record<string, unknown>,
): Promise<unknown> {
  const parsed: Record<string, unknown> = {};
  const isNested = holdsSection(valueType);
  let [part, size]: [Record<string, unknown>, number] = [{}, 0];
  const parsePart = async () => {
    Object.assign(parsed, parse(place.path, schema, part));
    [part, size] = [{}, 0];
    await place.takeTurns();
  };
  for (const name in section) {
    const entry = section[name];
    const path = [...place.path, name];
    if (isNested && isObject(entry) && countValues(entry, PART) > PART) {
      setMember(part, name, {});
      await parsePart();
      parsed[name] = await parseAt({ ...place, path }, valueType, entry);
    } else {
      setMember(part, name, entry);
      size += 1 + sizeOf(path, entry);
      if (size > PART) await parsePart();
    }
  }
  await parsePart();
  return parsed;
}

function parse(path: readonly string[], schema: Schema, value: unknown): unknown {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  throw new ShapeError(result.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
}

/** The values in one, at any depth. Throws `invalid` for one that would take long to check. */
function sizeOf(path: readonly string[], value: unknown): number {
  const size = countValues(value, BODY_LIMITS.values);
  if (size > BODY_LIMITS.values) throw tooMany(path);
  return size;
}

/** Counts to `most` and a little more; an object with too many names counts as more. */
function countValues(value: unknown, most: number): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / 256);
  if (typeof value !== "object" || value === null) return 1;
  const children = childrenOf(value);
  if (children.length > (Array.isArray(value) ? most : Math.min(most, BODY_LIMITS.names)))
    return Number.POSITIVE_INFINITY;
  let size = 1;
  for (const child of children) {
    size += countValues(child, most - size);
    if (size > most) break;
  }
  return size;
}

function tooMany(path: readonly string[]): AppError {
  const { names, values } = BODY_LIMITS;
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  return new AppError(
    "invalid",
    `${place}it has more than ${names} names in an object, or more than ${values} values`,
  );
}
