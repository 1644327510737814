import { comparedTexts, scalarText } from "../../../base/json/exact-json.ts";
import { choicesIn, labelsIn, propertiesOf } from "../../../forms/inbox/field-words.ts";
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
  const labelOf = labelsIn(schema);
  const shown = named.length > 0 ? named : frequent;
  return shown.slice(0, MAX_COLUMNS).map((field) => ({ field, label: labelOf(field) }));
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
