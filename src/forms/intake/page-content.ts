import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { controlNames } from "./control-fields.ts";
import { type FlatSchema, notFlat, readFlatSchema } from "../validation/flat.ts";
import type { Form } from "../form.ts";
import type { Choice, Input, InputKind, LineType, PageContent } from "./input.ts";
import { SUBMISSION_LIMITS as LIMITS } from "../limits.ts";
import { type SchemaObject, typesOf } from "../validation/keywords.ts";

/** Settings that the inputs of a form depend on. */
type Settings = Pick<Form, "name" | "schema" | "honeypots" | "uploads">;

/** Maximum characters of a text that is entered in a single line. */
export const LONGEST_LINE = 200;

/** The most choices that are all seen at once. */
const MAX_RADIO = 5;

/** Values that a page sends besides its inputs: a honeypot, an idempotency key and a challenge. */
const OTHER_VALUES = 3;

/**
 * The inputs for the schema of a form, which was checked before. Throws `invalid` with the field if the form has no
 * schema or it is not flat: every property must hold one value, a list of choices, or files.
 */
export function pageContentOf(form: Settings): PageContent {
  if (form.schema === null) {
    throw new AppError("invalid", "the form has no schema, which names its fields", {
      reason: "schema-missing",
    });
  }
  const schema = readFlatSchema(form.schema);
  const inputs = schema.properties.flatMap(([name, property]) => {
    checkName(name, form);
    return inputOf(name, property, schema, form) ?? [];
  });
  const values = inputs.reduce((sum, input) => sum + (input.kind === "boxes" ? input.choices.length : 1), 0);
  const most = LIMITS.fields - OTHER_VALUES;
  if (values > most) throw notFlat(`its fields have ${values} values; a page sends at most ${most}`);
  return {
    title: textOf(schema.root["title"]) ?? form.name,
    description: textOf(schema.root["description"]),
    inputs,
  };
}

/** Undefined for a property that cannot be entered. */
function inputOf(
  name: string,
  property: SchemaObject,
  { required, resolve }: FlatSchema,
  { uploads }: Settings,
): Input | undefined {
  const isRequired = required.has(name);
  const kind = kindOf(name, property, isRequired, resolve);
  const isLeftOut = kind.kind === "file" ? !uploads : property["readOnly"] === true && !hasDefault(property);
  if (isLeftOut) {
    if (!isRequired) return undefined;
    throw notFlat(
      kind.kind === "file"
        ? `the field ${name} is a required file, and the form accepts no files`
        : `the field ${name} is required, and read-only without a default`,
    );
  }
  return {
    name,
    label: textOf(property["title"]) ?? readable(name),
    hint: textOf(property["description"]),
    // A box that has to be ticked, and a choice that may be empty, are exceptions.
    isRequired: isRequired && !(property["enum"] as unknown[] | undefined)?.includes(""),
    initial: initialOf(property, kind),
    ...kind,
  };
}

function kindOf(
  name: string,
  property: SchemaObject,
  isRequired: boolean,
  resolve: FlatSchema["resolve"],
): InputKind {
  const types = typesOf(property).filter((type) => type !== "null");
  const values = choicesOf(name, property, resolve);
  if (values?.length === 1 && values[0]!.value === "true" && !types.includes("string"))
    return { kind: "box" };
  if (Object.hasOwn(property, "const")) return fixed(property["const"], false);
  if (property["readOnly"] === true) return fixed(property["default"], true);
  if (values) return choiceOf(values, isRequired);
  if (property["format"] === "binary") return { kind: "file", isMultiple: false };
  if (types.includes("array") || property["items"] !== undefined || property["prefixItems"] !== undefined) {
    return listOf(name, property, resolve);
  }
  if (types.length === 1 && types[0] === "boolean") return { kind: "box" };
  if (types.length > 0 && types.every((type) => type === "integer" || type === "number")) {
    return numberOf(
      property,
      types.every((type) => type === "integer"),
    );
  }
  return lineOf(property);
}

function fixed(value: unknown, isShown: boolean): InputKind {
  return { kind: "fixed", isShown, isText: typeof value === "string" };
}

/** Undefined for a property that does not list its values. */
function choicesOf(
  name: string,
  property: SchemaObject,
  resolve: FlatSchema["resolve"],
): Choice[] | undefined {
  if (Object.hasOwn(property, "const")) return [choiceFor(name, property["const"])];
  const listed = property["enum"] as unknown[] | undefined;
  if (listed) {
    return listed.filter((value) => value !== null && value !== "").map((value) => choiceFor(name, value));
  }
  const branches = ((property["oneOf"] ?? property["anyOf"]) as unknown[] | undefined)?.map(resolve);
  if (!branches?.every((branch) => Object.hasOwn(branch, "const"))) return undefined;
  return branches
    .filter((branch) => branch["const"] !== null && branch["const"] !== "")
    .map((branch) => choiceFor(name, branch["const"], textOf(branch["title"])));
}

function choiceFor(name: string, value: unknown, label: string | null = null): Choice {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw notFlat(`the field ${name} has a value that is no text, number or boolean`);
  return { value: String(value), label: label ?? String(value), isText: typeof value === "string" };
}

function choiceOf(choices: Choice[], isRequired: boolean): InputKind {
  // A choice among optional radio buttons cannot be cleared.
  return { kind: isRequired && choices.length <= MAX_RADIO ? "radio" : "select", choices };
}

function listOf(name: string, property: SchemaObject, resolve: FlatSchema["resolve"]): InputKind {
  const items = resolve(property["items"]);
  if (items["format"] === "binary") return { kind: "file", isMultiple: true };
  const choices = choicesOf(name, items, resolve);
  if (choices && property["prefixItems"] === undefined) return { kind: "boxes", choices };
  throw notFlat(`the field ${name} is a list, but not of choices (enum) or of files`);
}

function numberOf(property: SchemaObject, isInteger: boolean): InputKind {
  const limit = (keyword: string) => (property[keyword] as number | undefined) ?? null;
  const [above, below] = [limit("exclusiveMinimum"), limit("exclusiveMaximum")];
  const min = highest(limit("minimum"), isInteger && above !== null ? Math.floor(above) + 1 : null);
  const max = lowest(limit("maximum"), isInteger && below !== null ? Math.ceil(below) - 1 : null);
  const [first, last] = isInteger ? [min && Math.ceil(min), max && Math.floor(max)] : [min, max];
  const step = limit("multipleOf");
  // Browsers count steps from the lowest or first value.
  const isStep =
    step !== null && [first, property["default"] ?? null].every((start) => isMultiple(start, step));
  return { kind: "number", min: first, max: last, step: isStep ? step : isInteger ? 1 : "any" };
}

function isMultiple(value: unknown, step: number): boolean {
  return value === null || (typeof value === "number" && value % step === 0);
}

function highest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}

function lowest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

const LINE_TYPES = new Map<unknown, LineType>([
  ["email", "email"],
  ["uri", "url"],
  ["url", "url"],
  ["date", "date"],
  ["time", "time"],
  ["date-time", "datetime-local"],
]);

function lineOf({ format, minLength = null, maxLength = null }: SchemaObject): InputKind {
  const lengths = { minLength: minLength as number | null, maxLength: maxLength as number | null };
  const type = LINE_TYPES.get(format) ?? "text";
  const isLong = type === "text" && lengths.maxLength !== null && lengths.maxLength > LONGEST_LINE;
  return isLong ? { kind: "area", ...lengths } : { kind: "line", type, ...lengths };
}

function initialOf(property: SchemaObject, kind: InputKind): string[] {
  if (kind.kind === "fixed" && !kind.isShown) return [String(property["const"])];
  const value = property["default"] ?? [];
  const texts = [value]
    .flat()
    .filter((each) => typeof each !== "object")
    .map(String);
  if (kind.kind === "line" && kind.type === "datetime-local") {
    // The input knows no zone.
    return texts.flatMap((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(text) ?? []);
  }
  return kind.kind === "boxes" ? texts : texts.slice(0, 1);
}

function hasDefault(property: SchemaObject): boolean {
  return property["default"] !== undefined && !isObject(property["default"]);
}

function checkName(name: string, { honeypots }: Settings): void {
  if (name === "") throw notFlat("a field has no name");
  if (Buffer.byteLength(name) > LIMITS.fieldName)
    throw notFlat(`the field name ${name.slice(0, 40)}… is longer than ${LIMITS.fieldName} bytes`);
  if (controlNames(honeypots).has(name))
    throw notFlat(`the field ${name} is a honeypot of the form, or has another purpose`);
}

/** Null for anything but a text that is not blank. */
function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

/** A name for people: `firstName` and `first_name` as "First name". */
export function readable(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, " ")
    .replaceAll(
      /([a-z])([A-Z])(?=[a-z])/g,
      (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
    )
    .trim();
  return words === "" ? name : words[0]!.toUpperCase() + words.slice(1);
}
