import { isDeeper, isObject } from "../../src/base/json.ts";
import type { Operation, Schemas } from "../../src/operations/operation.ts";
import { type Shape, findMismatch } from "./shape.ts";

/** Maximum levels of JSON in an answer: more than the deepest rule or payload has. */
const MAX_DEPTH = 256;

type Schema = NonNullable<Schemas["output"]>;

/**
 * Returns the part of an operation's answer that commands rely on; null for no content. A server of another version is understood: it may
 * send other members and values of a choice, and leave out settings, but not the texts and the lists that things are named by.
 */
export async function shapeOf({ schemas }: Operation): Promise<Shape | null> {
  const { output } = await schemas();
  return output === undefined ? null : shapeIn(output);
}

type Definition =
  | { type: "optional" | "nullable" | "default"; innerType: Schema }
  | { type: "object"; shape: Record<string, Schema> }
  | { type: "array"; element: Schema }
  | { type: "union"; options: Schema[] }
  | { type: "enum"; entries: Record<string, unknown> }
  | { type: "literal"; values: unknown[] }
  | { type: "string" | "number" | "boolean" | "record" | "any" };

/** The member by which a server of an earlier version does not name a form, nor what belongs to it. */
const LATER = "project";

function shapeIn(schema: Schema): Shape {
  const def = definitionOf(schema);
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
      return shapeIn(def.innerType);
    case "object":
      return Object.fromEntries(
        Object.entries(def.shape).map(([name, each]) => [
          isNaming(each) && name !== LATER ? name : `${name}?`,
          shapeIn(each),
        ]),
      );
    case "array":
      return [shapeIn(def.element)];
    case "union":
      return inAll(def.options.map(shapeIn));
    case "enum":
    case "literal":
      return "string";
    case "record":
      return "object";
    case "string":
    case "number":
    case "boolean":
    case "any":
    default:
      return def.type;
  }
}

function definitionOf(schema: Schema): Definition {
  return schema._zod.def as unknown as Definition;
}

/** Whether things are named by a member: a text, or a list of objects. */
function isNaming(schema: Schema): boolean {
  const def = definitionOf(schema);
  return def.type === "string" || (def.type === "array" && isObject(shapeIn(def.element)));
}

/** Returns the common part of several shapes. */
function inAll([first, ...others]: Shape[]): Shape {
  if (!isObject(first) || !others.every(isObject)) return "any";
  return Object.fromEntries(
    Object.entries(first).filter(([name]) => others.every((each) => Object.hasOwn(each as object, name))),
  );
}

/** Whether an answer has no member of its shape, all of which may be missing one by one. */
function hasNone(value: unknown, shape: Shape): boolean {
  return (
    isObject(value) &&
    isObject(shape) &&
    !Object.keys(shape).some((name) => Object.hasOwn(value, name.replace("?", "")))
  );
}

/** The JSON of an answer, or what is wrong with it, in words that follow the name of the server. */
export function parseAnswer(
  bytes: Uint8Array,
  shape: Shape,
): { value: unknown } | { wrong: string; cause?: unknown } {
  let value: unknown;
  try {
    value = isDeeper(bytes, MAX_DEPTH) ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    return { wrong: "sent no JSON", cause };
  }
  const at = hasNone(value, shape) ? "" : findMismatch(value, shape);
  if (at !== null) return { wrong: at === "" ? "sent other JSON" : `sent no usable ${at}` };
  return { value };
}
