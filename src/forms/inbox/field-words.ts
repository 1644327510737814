import { comparedTexts, scalarText } from "../../base/json/exact-json.ts";
import { isObject } from "../../base/json.ts";
import { keepLast } from "../../base/keep.ts";

/** The properties of the schema of a form, by the names of its fields. */
export function propertiesOf(schema: object | null): Record<string, unknown> {
  const properties = isObject(schema) && schema["properties"];
  return isObject(properties) ? properties : {};
}

/** The label of a field in the schema of its form: its title, or else its name. */
export function labelsIn(schema: object | null): (field: string) => string {
  const properties = propertiesOf(schema);
  return (field) => {
    const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
    const title = isObject(property) && property["title"];
    return typeof title === "string" && title.trim() !== "" ? title : field;
  };
}

/** The values that a property allows, alone or in its list, with what people read for each; null for any. */
export function choicesIn(property: unknown): Map<string, string> | null {
  if (!isObject(property)) return null;
  if (property["type"] === "boolean") return new Map(["true", "false"].map((value) => [value, value]));
  const { items } = property;
  const { enum: values, oneOf, anyOf } = isObject(items) ? { ...items, ...property } : property;
  if (Array.isArray(values)) return new Map(values.map((value) => [choiceText(value), choiceText(value)]));
  const branches: unknown = oneOf ?? anyOf;
  if (!Array.isArray(branches)) return null;
  const choices = branches.map((each: unknown): [string, string] | null => {
    if (!isObject(each) || !Object.hasOwn(each, "const")) return null;
    const [value, title] = [choiceText(each["const"]), each["title"]];
    return [value, typeof title === "string" && title.trim() !== "" ? title : value];
  });
  return choices.every((each) => each !== null) ? new Map(choices) : null;
}

function choiceText(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value);
}

/** Returns the titles of values that are choices in the schema of a form, alone or in a list; any other value as it is. */
export function titlesIn(schema: object | null): (field: string, value: unknown) => unknown {
  const properties = propertiesOf(schema);
  const choices = keepLast<Map<string, string> | null>(200);
  return (field, value) => {
    const known = Object.hasOwn(properties, field)
      ? choices(field, () => choicesIn(properties[field]))
      : null;
    const titleOf = (each: unknown) => {
      const text = each === null ? "null" : comparedTexts(each).at(-1);
      const title = text === undefined ? undefined : known?.get(text);
      return title === undefined || title === text ? each : title;
    };
    if (known === null) return value;
    return Array.isArray(value) ? value.map(titleOf) : titleOf(value);
  };
}
