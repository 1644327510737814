import { Diff } from "../parts/diff.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { Code } from "./flag-facts.tsx";
import { type Draft, type Field, NAMES, fieldOf, isSameText } from "./draft.ts";
import type { Screen } from "./screen.tsx";

/** Three-way comparison after an edit conflict: base, stored, typed. */
export function ConflictView({ screen: { conflict, last, isMissing } }: { screen: Screen }) {
  if (conflict === null) return null;
  const { mine, base, theirs, advice } = conflict;
  const isSame = (field: Field, one: Draft, other: Draft) => isSameText(field, one[field], other[field]);
  const fields = NAMES.filter((field) => !isSame(field, mine, base) || !isSame(field, theirs, base));
  return (
    <section class="card" aria-labelledby="conflict-title" id="conflict">
      <h2 id="conflict-title">Two changes at the same time</h2>
      <Notice tone="bad">
        <p>
          {last === null ? "Another user" : <Foreign text={last.who} />}{" "}
          {isMissing ? "deleted this flag" : "changed this flag"}
          {last !== null && (
            <>
              {" "}
              <Time at={last.at} />
            </>
          )}
          {last?.why && (
            <>
              {" "}
              (<Foreign text={last.why} />)
            </>
          )}
          , after this page was loaded. Nothing of yours is stored yet.
        </p>
      </Notice>
      <Table
        caption="What differs"
        columns={[
          {
            label: "Field",
            heading: true,
            cell: (field) => (
              <>
                {fieldOf(field).label}{" "}
                {!isSame(field, mine, base) &&
                  !isSame(field, theirs, base) &&
                  !isSame(field, mine, theirs) && <Badge tone="warn">both changed it</Badge>}
              </>
            ),
          },
          { label: "Before both", cell: (field) => <Value text={base[field]} /> },
          {
            label: "Theirs, stored",
            cell: (field) => <Value text={theirs[field]} isSame={isSame(field, theirs, base)} />,
          },
          {
            label: "Yours",
            cell: (field) => <Value text={mine[field]} isSame={isSame(field, mine, base)} />,
          },
        ]}
        rows={fields}
      />
      {last !== null && (
        <details id="conflict-change">
          <summary>All of their change</summary>
          <Diff before={last.before ?? {}} after={last.after ?? {}} />
        </details>
      )}
      <p>{advice}</p>
    </section>
  );
}

function Value({ text, isSame = false }: { text: string; isSame?: boolean }) {
  if (isSame) return <span class="soft">not changed</span>;
  return text === "" ? <span class="soft">none</span> : <Code text={text} />;
}
