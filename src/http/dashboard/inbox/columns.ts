import { comparedTexts, scalarText } from "../../../base/json/exact-json.ts";
import { isObject } from "../../../base/json.ts";
import { keepLast } from "../../../base/keep.ts";
import type { Submission } from "../../../forms/submission.ts";

/** A field of a form as a column. */
export type FieldColumn = { field: string; label: string };

/** How often each value of a field was chosen, by its title where it has one, in the order of the schema or of their counts. */
export type ChoiceCounts = FieldColumn & { choices: { value: string; count: number }[] };

const MAX_COLUMNS = 8;

/** A field without choices in a schema has as many different values at most, and each of them twice on average. */
const MAX_CHOICES = 8;
const MAX_CHOICE = 60;

/** The columns of submissions: the fields of the schema, or else the most frequent ones. */
export function columnsOf(schema: object | null, submissions: readonly Submission[]): FieldColumn[] {
  const properties = propertiesOf(schema);
  const named = Object.keys(properties);
  const counts = new Map<string, number>();
  for (const { data } of submissions)
    for (const field of Object.keys(data)) counts.set(field, (counts.get(field) ?? 0) + 1);
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a).map(([field]) => field);
  return (named.length > 0 ? named : frequent).slice(0, MAX_COLUMNS).map((field) => ({
    field,
    label: labelOf(properties, field),
  }));
}

/** The fields among columns that hold choices, with how often each was chosen. */
export function countChoices(
  schema: object | null,
  columns: readonly FieldColumn[],
  submissions: readonly Submission[],
): ChoiceCounts[] {
  const properties = propertiesOf(schema);
  return columns.flatMap((column): ChoiceCounts[] => {
    const known = choicesIn(properties[column.field]);
    const counts = new Map<string, number>([...(known?.keys() ?? [])].map((value) => [value, 0]));
    let total = 0;
    for (const { data } of submissions) {
      const value = Object.hasOwn(data, column.field) ? data[column.field] : undefined;
      for (const each of Array.isArray(value) ? value : [value]) {
        // The numbers of a schema are written as JavaScript writes them.
        const text = known === null ? scalarText(each) : comparedTexts(each).at(-1);
        if (text === undefined || text === "") continue;
        counts.set(text, (counts.get(text) ?? 0) + 1);
        total += 1;
        // Texts of their own are no choices.
        if (known === null && (counts.size > MAX_CHOICES || text.length > MAX_CHOICE)) return [];
      }
    }
    if (total === 0 || (known === null && total < 2 * counts.size)) return [];
    const choices = [...counts].map(([value, count]) => ({ value: known?.get(value) ?? value, count }));
    return [{ ...column, choices: known ? choices : choices.toSorted((a, b) => b.count - a.count) }];
  });
}

/** The label of a field in the schema of its form: its title, or else its name. */
export function labelsIn(schema: object | null): (field: string) => string {
  const properties = propertiesOf(schema);
  return (field) => labelOf(properties, field);
}

function propertiesOf(schema: object | null): Record<string, unknown> {
  const properties = isObject(schema) && schema["properties"];
  return isObject(properties) ? properties : {};
}

function labelOf(properties: Record<string, unknown>, field: string): string {
  const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
  const title = isObject(property) && property["title"];
  return typeof title === "string" && title.trim() !== "" ? title : field;
}

/** The values that a property allows, alone or in its list, with what people read for each; null for any. */
function choicesIn(property: unknown): Map<string, string> | null {
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
