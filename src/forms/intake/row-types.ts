import { isObject } from "../../base/json.ts";
import type { SchemaObject } from "../validation/keywords.ts";
import { LONGEST_LINE } from "./page-content.ts";

/** The types of a field that rows can write. */
export const FIELD_TYPES = [
  "text",
  "paragraph",
  "email",
  "number",
  "date",
  "yes or no",
  "choice",
  "choices",
] as const;

/** `other` is a type that only JSON can say: such a field keeps it. */
export type FieldType = (typeof FIELD_TYPES)[number] | "other";

/** The longest text of a paragraph, in characters: one of more than a line is typed in several. */
const PARAGRAPH = 10_000;

/** Keywords that stay if the type of a field changes. */
const TYPELESS = new Set(["title", "description", "$comment", "deprecated"]);

/** Keywords that choose among schemas, or refer to one, so that the type stands elsewhere. */
const INDIRECT = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "readOnly"];

/** The type of a property, with the choices of one that has any. */
export function typeOf(property: SchemaObject): { type: FieldType; choices?: readonly string[] } {
  if (INDIRECT.some((keyword) => Object.hasOwn(property, keyword))) return { type: "other" };
  const { type, format, items, maxLength } = property;
  const values = Object.hasOwn(property, "const") ? [property["const"]] : property["enum"];
  if (type === "boolean") {
    const isBox = values === undefined || (Array.isArray(values) && values.every((each) => each === true));
    return { type: isBox ? "yes or no" : "other" };
  }
  if (Object.hasOwn(property, "const")) return { type: "other" };
  if (type === "array") {
    const isPlain = isObject(items) && (items["type"] === undefined || items["type"] === "string");
    if (!isPlain || property["prefixItems"] !== undefined) return { type: "other" };
    return Object.keys(items).every((key) => key === "type" || key === "enum") && areChoices(items["enum"])
      ? { type: "choices", choices: items["enum"] }
      : { type: "other" };
  }
  if (values !== undefined) {
    const isPlain = (type === "string" || type === undefined) && format === undefined;
    return isPlain && areChoices(values) ? { type: "choice", choices: values } : { type: "other" };
  }
  if (type === "number" || type === "integer") return { type: "number" };
  const isText = type === "string" || (type === undefined && items === undefined);
  if (!isText || property["prefixItems"] !== undefined) return { type: "other" };
  if (format === "email" || format === "date") return { type: format };
  if (format !== undefined) return { type: "other" };
  return { type: typeof maxLength === "number" && maxLength > LONGEST_LINE ? "paragraph" : "text" };
}

/** Whether values are different texts that stand on a line each. */
function areChoices(values: unknown): values is string[] {
  if (!Array.isArray(values) || new Set(values).size < values.length) return false;
  return values.every(
    (each) => typeof each === "string" && each !== "" && lines(each) === each && !/\n/.test(each),
  );
}

/** A text as a page gives it back. */
export function asSent(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD").replaceAll(/\r\n?/g, "\n");
}

/** A text as a field of several lines gives it back. */
export function lines(text: string): string {
  return asSent(text).trim();
}

/** A text as a field of one line gives it back. */
export function oneLine(text: string): string {
  return lines(text).replaceAll(/\s+/g, " ");
}

/** Makes a property one of the type of its row. */
export function retype(
  property: SchemaObject,
  { type, choices }: { type: FieldType; choices: readonly string[] },
  before: FieldType | undefined,
): void {
  const isLonger = before === "text" && type === "paragraph";
  if (isLonger || (before === "paragraph" && type === "text")) {
    delete property["maxLength"];
    if (isLonger) property["maxLength"] = PARAGRAPH;
    return;
  }
  if (before === type) delete property["default"];
  else for (const keyword of Object.keys(property)) if (!TYPELESS.has(keyword)) delete property[keyword];
  if (type === "choices" && before === type)
    property["items"] = { ...(property["items"] as SchemaObject), enum: [...choices] };
  else Object.assign(property, keywordsOf(type, choices));
}

function keywordsOf(type: FieldType, choices: readonly string[]): SchemaObject {
  switch (type) {
    case "text":
      return { type: "string" };
    case "paragraph":
      return { type: "string", maxLength: PARAGRAPH };
    case "email":
    case "date":
      return { type: "string", format: type };
    case "number":
      return { type: "number" };
    case "yes or no":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: [...choices] };
    case "choices":
      return { type: "array", items: { enum: [...choices] }, uniqueItems: true };
    case "other":
      return {};
    default:
      return type satisfies never;
  }
}
