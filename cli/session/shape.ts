import { parseExactly } from "../../src/base/json/exact-json.ts";
import { isDeeper, isObject } from "../../src/base/json.ts";
import type { Operation, Schemas } from "../../src/operations/operation.ts";

/** The schema of an answer, or of a part of it. */
export type Shape = NonNullable<Schemas["output"]>;

/** The schema of an operation's answer; null for no content. */
export async function shapeOf({ schemas }: Operation): Promise<Shape | null> {
  return (await schemas()).output ?? null;
}

/**
 * The path of the first value of an answer that its schema does not allow, such as `projects.0.slug`: empty for the value
 * itself, null if all fit. A server of another version is understood: it may send other members and values of a choice, and
 * leave out settings, but not the texts and the lists that things are named by.
 */
function findMismatch(value: unknown, shape: Shape): string | null {
  const def = definitionOf(shape);
  switch (def.type) {
    case "nullable":
      return value === null ? null : findMismatch(value, def.innerType);
    case "optional":
    case "default":
    case "nonoptional":
      return findMismatch(value, def.innerType);
    case "object":
    case "union":
      return findInMembers(value, shape, def);
    case "array":
      return Array.isArray(value) ? firstMisfit(value.map((each, at) => [at, each, def.element])) : "";
    case "tuple":
      return Array.isArray(value) && value.length >= def.items.length
        ? firstMisfit(def.items.map((each, at) => [at, value[at], each]))
        : "";
    case "record":
      return isObject(value) ? null : "";
    case "enum":
      return typeof value === "string" ? null : "";
    case "literal":
      return def.values.some((each) => typeof each === typeof value) ? null : "";
    case "string":
    case "number":
    case "boolean":
      return typeof value === def.type ? null : "";
    case "any":
    case "unknown":
      return value === undefined ? "" : null;
    default:
      throw new Error(
        `answers have a kind of schema that commands do not read: ${JSON.stringify(def satisfies never)}`,
      );
  }
}

function findInMembers(value: unknown, shape: Shape, def: Definition): string | null {
  const members = membersOf(shape);
  if (members === null)
    return def.type === "union" && def.options.some((each) => findMismatch(value, each) === null) ? null : "";
  if (!isObject(value)) return "";
  return firstMisfit(
    Object.entries(members)
      .filter(([name, each]) => isRequired(name, each) || (value[name] ?? null) !== null)
      .map(([name, each]) => [name, value[name], each]),
  );
}

/** Whether an answer has no member of its shape, all of which may be missing one by one. */
function hasNone(value: unknown, shape: Shape): boolean {
  const members = membersOf(shape);
  return (
    members !== null && isObject(value) && !Object.keys(members).some((name) => Object.hasOwn(value, name))
  );
}

/** Whether a value that fits a shape may have the member of a path such as `environments.0.key`. */
export function mayHave(shape: Shape, path: string): boolean {
  const def = definitionOf(shape);
  if ("innerType" in def) return mayHave(def.innerType, path);
  if (def.type === "union") return def.options.some((each) => mayHave(each, path));
  if (["record", "any", "unknown"].includes(def.type)) return true;
  const dot = path.indexOf(".");
  const [name, rest] = dot < 0 ? [path, null] : [path.slice(0, dot), path.slice(dot + 1)];
  const member = memberOf(def, name);
  return member !== undefined && (rest === null || mayHave(member, rest));
}

function memberOf(def: Definition, name: string): Shape | undefined {
  if (def.type === "object") return Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
  const isPlace = /^\d+$/.test(name);
  if (def.type === "tuple") return isPlace ? def.items[Number(name)] : undefined;
  return def.type === "array" && isPlace ? def.element : undefined;
}

/** The names of the members of an object that fits a shape. */
export function namesOf(shape: Shape): string[] {
  return Object.keys(membersOf(shape) ?? {});
}

/** The members of an object; of a choice between objects their common ones; null for anything else. */
function membersOf(shape: Shape): Readonly<Record<string, Shape>> | null {
  const def = definitionOf(shape);
  if ("innerType" in def) return membersOf(def.innerType);
  if (def.type === "object") return def.shape;
  if (def.type !== "union") return null;
  const [first, ...others] = def.options.map(membersOf);
  if (!first || others.includes(null)) return null;
  return Object.fromEntries(
    Object.entries(first).filter(([name]) => others.every((each) => Object.hasOwn(each!, name))),
  );
}

/** The member by which a server of an earlier version does not name a form, nor what belongs to it. */
const LATER = "project";

/** Whether things are named by a member: a text, or a list of objects. */
function isRequired(name: string, shape: Shape): boolean {
  const def = definitionOf(shape);
  if (def.type === "nonoptional") return isRequired(name, bare(def.innerType));
  const isNaming = def.type === "string" || (def.type === "array" && membersOf(def.element) !== null);
  return isNaming && name !== LATER;
}

/** A schema without what says whether its value may be missing. */
function bare(shape: Shape): Shape {
  const def = definitionOf(shape);
  return "innerType" in def ? bare(def.innerType) : shape;
}

type Member = [name: string | number, value: unknown, shape: Shape];

function firstMisfit(members: Member[]): string | null {
  for (const [name, value, shape] of members) {
    const inner = findMismatch(value, shape);
    if (inner !== null) return inner === "" ? String(name) : `${name}.${inner}`;
  }
  return null;
}

/** The kinds of schemas that answers are made of. */
type Definition =
  | { type: "optional" | "nullable" | "default" | "nonoptional"; innerType: Shape }
  | { type: "object"; shape: Record<string, Shape> }
  | { type: "array"; element: Shape }
  | { type: "tuple"; items: Shape[] }
  | { type: "union"; options: Shape[] }
  | { type: "literal"; values: unknown[] }
  | { type: "enum" | "string" | "number" | "boolean" | "record" | "any" | "unknown" };

function definitionOf(shape: Shape): Definition {
  return shape._zod.def as unknown as Definition;
}

/** Maximum levels of JSON in an answer: more than the deepest rule or payload has. */
const MAX_DEPTH = 256;

/** The JSON of an answer, or what is wrong with it, in words that follow the name of the server. */
export function parseAnswer(
  bytes: Uint8Array,
  shape: Shape,
): { value: unknown } | { wrong: string; cause?: unknown } {
  let value: unknown;
  try {
    value = isDeeper(bytes, MAX_DEPTH) ? undefined : parseExactly(new TextDecoder().decode(bytes));
  } catch (cause) {
    return { wrong: "sent no JSON", cause };
  }
  const at = hasNone(value, shape) ? "" : findMismatch(value, shape);
  if (at !== null) return { wrong: at === "" ? "sent other JSON" : `sent no usable ${at}` };
  return { value };
}
