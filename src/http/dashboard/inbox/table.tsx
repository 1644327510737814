import type { Submission } from "../../../forms/submission.ts";
import { Card } from "../parts/card.tsx";
import { A } from "../parts/link.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign, visible } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { submissionPath, summaryOf } from "../submissions/rows.tsx";
import { columnsOf, countChoices, type ChoiceCounts } from "./columns.ts";

/** Characters of a value in a cell. */
const MAX_CELL = 80;

/** The submissions of one form, a column for each field, and how often each choice was made in `counted` of them. */
export function SubmissionTable({
  schema,
  submissions,
  counted,
  query,
}: {
  schema: object | null;
  submissions: readonly Submission[];
  counted: readonly Submission[];
  /** The query of the links to the submissions. */
  query: Readonly<Record<string, string | null>>;
}) {
  const columns = columnsOf(schema, submissions);
  const counts = countChoices(schema, columns, counted);
  return (
    <>
      {counts.length > 0 && (
        <div class="counts">
          {counts.map((each) => (
            <Choices counts={each} of={counted.length} />
          ))}
        </div>
      )}
      <div class="wide sheet" tabindex={0} role="region" aria-label="Table of submissions">
        <Table
          caption="Submissions"
          rows={submissions}
          keyOf={({ id }) => `row-${id}`}
          columns={[
            {
              label: "From",
              heading: true,
              cell: (submission) => (
                <A to={submissionPath(submission)} query={query}>
                  <Foreign text={summaryOf(submission.data).from} />
                </A>
              ),
            },
            { label: "Received", cell: ({ createdAt }) => <Time at={Date.parse(createdAt)} /> },
            ...columns.map(({ field, label }) => ({
              label: visible(label),
              cell: ({ data }: Submission) => <Foreign text={textOf(data, field)} />,
            })),
          ]}
        />
      </div>
    </>
  );
}

function textOf(data: Submission["data"], field: string): string {
  const value: unknown = Object.hasOwn(data, field) ? data[field] : undefined;
  if (value === undefined || value === null) return "";
  const text =
    typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
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

/** How often each choice of a field was made. */
function Choices({ counts: { field, label, choices }, of }: { counts: ChoiceCounts; of: number }) {
  const most = Math.max(...choices.map(({ count }) => count), 1);
  return (
    <div data-counts={field}>
      <Card id={undefined} title={<Foreign text={label} />}>
        <ul class="choices">
          {choices.map(({ value, count }) => (
            <li>
              <Foreign text={value} /> <span class="soft">{count.toLocaleString("en")}</span>
              <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect width={Math.round((100 * count) / most)} height="4" />
              </svg>
            </li>
          ))}
        </ul>
        <p class="soft small">In the newest {of.toLocaleString("en")} of the list.</p>
      </Card>
    </div>
  );
}
