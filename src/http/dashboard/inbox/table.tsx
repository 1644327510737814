import type { Submission } from "../../../forms/submission.ts";
import { A } from "../parts/link.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { submissionPath } from "../submissions/rows.tsx";
import type { TitleOf } from "../../../forms/inbox/titles.ts";
import { titlesIn } from "../../../forms/inbox/field-words.ts";
import { columnsOf, countChoices, type ChoiceCounts } from "./columns.ts";

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
  const text = Array.isArray(value) ? value.map(oneOf).join(", ") : oneOf(value);
  const line = text
    .slice(0, 10 * MAX_CELL)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= MAX_CELL
    ? line
    : `${Array.from(line)
        .slice(0, MAX_CELL - 1)
        .join("")}…`;
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
