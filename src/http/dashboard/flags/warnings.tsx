import { DEFAULT_STALE_DAYS } from "../../../flags/stale.ts";
import { Danger } from "../parts/danger.tsx";
import { Diff } from "../parts/diff.tsx";
import { Badge, Notice } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { flagPath } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";
import { type Draft, type Field, NAMES, fieldOf, isSameText } from "./draft.ts";
import { Code, Readers, isRead } from "./flag-facts.tsx";
import type { Screen } from "./screen.tsx";

type Deleted = {
  flag: string;
  environments: Screen["project"]["environments"];
  statuses: Screen["statuses"];
  now: number;
  rateOf: (environment: string) => number;
};

/** Environments in which a flag is deleted, and their readers. */
export function DeletedEverywhere({ flag, environments, statuses, now, rateOf }: Deleted) {
  const readers = statuses
    .filter((status) => isRead(status, now))
    .flatMap(({ environment: slug, readAt }) => {
      const environment = environments.find((each) => each.slug === slug);
      return environment ? [{ environment, readAt, rate: rateOf(slug) }] : [];
    });
  return (
    <div class="stack">
      <p>
        {flag} is deleted in {statuses.map(({ environment }) => environment).join(", ")}.
      </p>
      {readers.length === 0 ? (
        <p>It has not been read in the last {DEFAULT_STALE_DAYS} days.</p>
      ) : (
        <Notice tone="warn" title="Applications still read it">
          <Readers readers={readers} />
        </Notice>
      )}
    </div>
  );
}

/** The form that deletes a flag, which names who still reads it. */
export function Deletion({ screen }: { screen: Screen }) {
  const { place, project: all, statuses, rate, typed, open } = screen;
  const { project, flag, environment } = place;
  const { now } = useView();
  const { name, value, error } = typedAt(typed.delete, "name");
  if (!useMayChange(all.environments)) return null;
  return (
    <details class="card" open={typed.delete !== undefined || open === "delete"} id="delete">
      <summary>Delete {flag}</summary>
      <Danger
        to={`${flagPath(project, flag)}/delete`}
        values={{ revision: Math.max(...statuses.map(({ revision }) => revision)), environment }}
        class="stack narrow"
        id="delete-form"
        label={`Delete ${flag}`}
        isChanged={typed.delete !== undefined}
        why={typedAt(typed.delete, "why").value}
        whyId="delete-why"
        words={[{ name, word: flag, label: `Type ${flag} to delete it`, typed: value, fault: error }]}
        act={`Delete ${flag} in every environment`}
        icon="trash"
      >
        <DeletedEverywhere
          flag={flag}
          environments={all.environments}
          statuses={statuses}
          now={now}
          rateOf={(slug) => (slug === environment ? rate : 0)}
        />
      </Danger>
    </details>
  );
}

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
