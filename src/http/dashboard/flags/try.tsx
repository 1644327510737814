import type { Trial } from "../../../flags/reads/evaluations.ts";
import { Diff } from "../parts/diff.tsx";
import { AreaField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Table } from "../parts/table.tsx";
import type { Values } from "./draft.ts";
import { Code } from "./flag-facts.tsx";

const EXAMPLE = '{"targetingKey": "ann", "email": "ann@example.com"}';

/** Tries what the form holds, which is not stored. */
export function TryFields({ values }: { values: Values }) {
  const contexts = typedAt(values, "contexts", "{}");
  return (
    <fieldset id="try">
      <legend>Try it first</legend>
      <AreaField
        {...contexts}
        label="Contexts"
        hint={
          <>
            What is known of a reader, as JSON, a line for each, such as <code>{EXAMPLE}</code>.
          </>
        }
        rows={4}
        code
      />
      <p class="buttons">
        <Button name="act" value="try">
          Try
        </Button>
        <span class="soft">Nothing is saved.</span>
      </p>
      {values.tried && <Results tried={values.tried} />}
    </fieldset>
  );
}

function Results({ tried: { trials, before, after } }: { tried: NonNullable<Values["tried"]> }) {
  return (
    <div class="stack" id="results">
      <Table
        caption="What readers get, now and after saving"
        columns={[
          { label: "Context", heading: true, cell: ({ context }) => <Code text={JSON.stringify(context)} /> },
          { label: "Now", cell: ({ now }) => <OutcomeText outcome={now} /> },
          {
            label: "After saving",
            cell: ({ now, after }) => (
              <>
                <OutcomeText outcome={after} />{" "}
                {Bun.deepEquals(now, after) ? <Badge>same</Badge> : <Badge tone="warn">differs</Badge>}
              </>
            ),
          },
        ]}
        rows={trials}
      />
      <h3>What saving changes</h3>
      <Diff before={before} after={after} />
    </div>
  );
}

const REASONS: Record<string, string> = {
  STATIC: "for everybody",
  TARGETING_MATCH: "by the rule",
  DEFAULT: "by default",
  DISABLED: "the flag is off",
};

function OutcomeText({ outcome }: { outcome: Trial["now"] }) {
  if ("errorCode" in outcome) return <Code text={outcome.errorDetails} />;
  const { value, variant, reason } = outcome;
  return (
    <>
      {value === undefined ? "no value" : <Code text={JSON.stringify(value)} />}{" "}
      <span class="soft small">
        {variant !== undefined && value !== undefined && `variant ${variant}, `}
        {REASONS[reason] ?? reason}
      </span>
    </>
  );
}
