import type { Submission } from "../../../forms/submission.ts";
import { A } from "../parts/link.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { submissionPath } from "../submissions/rows.tsx";
import type { TitleOf } from "../../../forms/inbox/titles.ts";
import { choicesIn, labelsIn, propertiesOf, titlesIn } from "../../../forms/inbox/field-words.ts";
import { comparedTexts, scalarText } from "../../../base/json/exact-json.ts";
import { oneLine } from "../../../delivery/text.ts";

/** Characters of a value in a cell. */
const MAX_CELL = 80;

/** The submissions of one form, a column for each field, and how often each choice was made in `counted` of them. */
export function SubmissionTable({
  schema,
  submissions,
  titleOf,
  counted,
  query,
}: {
  schema: object | null;
  submissions: readonly Submission[];
  titleOf: TitleOf;
  counted: readonly Submission[];
  /** The query of the links to the submissions. */
  query: Readonly<Record<string, string | null>>;
}) {
  const columns = columnsOf(schema, submissions);
  const counts = countChoices(schema, columns, counted);
  const choiceOf = titlesIn(schema);
  return (
    <>
      {counts.length > 0 && (
        <section
          class="counts"
          tabindex={0}
          aria-label={`Choices in the newest ${counted.length.toLocaleString("en")} of the list`}
        >
          {counts.map((each) => (
            <Choices counts={each} of={counted.length} />
          ))}
        </section>
      )}
      <div class="wide sheet" tabindex={0} role="region" aria-label="Table of submissions">
        <Table
          caption="Submissions"
          rows={submissions}
          keyOf={({ id }) => `row-${id}`}
          columns={[
            {
              label: "Title",
              heading: true,
              cell: (submission) => (
                <A to={submissionPath(submission)} query={query}>
                  <Foreign text={titleOf(submission).title} />
                </A>
              ),
            },
            { label: "Received", cell: ({ createdAt }) => <Time at={Date.parse(createdAt)} /> },
            ...columns.map(({ field, label }) => ({
              label: visible(label),
              isCut: true,
              cell: ({ data }: Submission) => <Value text={textOf(data, field, choiceOf)} />,
            })),
          ]}
        />
      </div>
    </>
  );
}

/** A value on one line, and all of that line where the pointer rests. */
function Value({ text }: { text: string }) {
  return text === "" ? null : (
    <span title={visible(text)}>
      <Foreign text={text} />
    </span>
  );
}

function textOf(data: Submission["data"], field: string, titleOf: ReturnType<typeof titlesIn>): string {
  const value = Object.hasOwn(data, field) ? titleOf(field, data[field]) : undefined;
  if (value === undefined || value === null) return "";
  const oneOf = (each: unknown) => (typeof each === "string" ? each : JSON.stringify(each));
  return oneLine(Array.isArray(value) ? value.map(oneOf).join(", ") : oneOf(value), MAX_CELL);
}

/** How often each choice of a field was made in `of` submissions. */
function Choices({ counts: { field, label, choices }, of }: { counts: ChoiceCounts; of: number }) {
  return (
    <div class="card" data-counts={field}>
      <h2 class="small">
        <Foreign text={label} />
      </h2>
      <ul class="choices">
        {choices.map(({ value, count }) => (
          <li>
            <Foreign text={value} /> <span class="soft">{count.toLocaleString("en")}</span>
            <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect width={Math.round((100 * count) / of)} height="4" />
            </svg>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A field of a form as a column. */
type FieldColumn = { field: string; label: string };

/** How often each value of a field was chosen, by its title where it has one, in the order of the schema or of their counts. */
type ChoiceCounts = FieldColumn & { choices: { value: string; count: number }[] };

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
