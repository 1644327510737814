import { DAY_MS } from "../../../base/days.ts";
import type { FlagRecord } from "../../../flags/flag.ts";
import { requirementsInWords, requirementsOf } from "../../../flags/requires/requirement.ts";
import { hasRule } from "../../../flags/rules/rule-rows.ts";
import { OWN_RULE, ruleClauses } from "../../../flags/rules/rule-words.ts";
import { parseRules } from "../../../flags/rules/rules.ts";
import { DEFAULT_STALE_DAYS } from "../../../flags/stale.ts";
import type { Environment } from "../../../projects/environment.ts";
import { formatRate } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { Badge, EnvironmentName, Notice } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { Actor, Foreign, visible } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { type Draft, type Field, fieldOf, isSameText, NAMES } from "./draft.ts";
import type { Screen } from "./screen.tsx";

/** Characters of a payload that an overview shows. */
const SHOWN = 600;

/** A text of a machine, cut if it is long. */
export function Code({ text }: { text: string }) {
  return (
    <code class="value">
      {visible(text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… ${text.length} characters` : text)}
    </code>
  );
}

/** The rule of a flag in words, a line a clause, with its JSON behind it. */
export function RuleWords({ record }: { record: FlagRecord }) {
  const rules = record.rules === null ? null : parseRules(record.rules);
  if (rules === null) return <span class="soft">none</span>;
  return (
    <>
      <ol>
        {(ruleClauses(rules) ?? [OWN_RULE]).map((line) => (
          <li>
            <Foreign text={line} />
          </li>
        ))}
      </ol>
      {hasRule(rules.targeting) && (
        <details>
          <summary class="small">As JSON</summary>
          <Code text={JSON.stringify(rules.targeting, null, 2)} />
        </details>
      )}
    </>
  );
}

/** The needs of a flag that is on, without which it is off; nothing for one that needs no other. */
export function NeedsNotice({ record }: { record: FlagRecord }) {
  if (record.requires === "") return null;
  return (
    <Notice tone="info">
      <p>
        It <Foreign text={requirementsInWords(requirementsOf(record.requires))} />: for all others it is off.
      </p>
    </Notice>
  );
}

export function Expiry({ record: { expiresAt } }: { record: FlagRecord }) {
  if (expiresAt === null) return <span class="soft">never</span>;
  return (
    <>
      <ExactTime at={expiresAt} />
      {" ("}
      <Time at={expiresAt} />)
    </>
  );
}

/** When a flag was last read, which is known to the hour. */
export function LastRead({ at }: { at: number | null }) {
  return at === null ? <span class="soft">never</span> : <Time at={at} />;
}

/** Whether applications have read a flag lately enough to miss it. */
export function isRead({ readAt }: { readAt: number | null }, now: number): boolean {
  return readAt !== null && now - readAt < DEFAULT_STALE_DAYS * DAY_MS;
}

/** The environments in which applications read a flag, with when and how often. */
export function Readers({
  readers,
}: {
  readers: readonly { environment: Environment; readAt: number | null; rate: number }[];
}) {
  return (
    <ul>
      {readers.map(({ environment, readAt, rate }) => (
        <li>
          <EnvironmentName environment={environment} />: <LastRead at={readAt} />
          {rate > 0 && `, ${formatRate(rate)}`}
        </li>
      ))}
    </ul>
  );
}

/** Why a form as a whole was refused. */
export function Problem({ fault }: { fault: string | undefined }) {
  if (!fault) return null;
  return (
    <Notice tone="bad">
      <p>{fault}</p>
    </Notice>
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
          {last === null ? "Another user" : <Actor by={last} />}{" "}
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
