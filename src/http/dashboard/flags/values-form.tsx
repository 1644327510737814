import { FIELDS, type OptionalName, SECTIONS, SHARED, type SharedName } from "../../../flags/flag-fields.ts";
import type { Trial } from "../../../flags/reads/evaluations.ts";
import type { Environment } from "../../../projects/environment.ts";
import { Facts } from "../parts/card.tsx";
import { Diff } from "../parts/diff.tsx";
import { AreaField, TextField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { PROPOSED_FOR } from "../parts/confirm.tsx";
import { Badge, EnvironmentName, Notice } from "../parts/status.tsx";
import { typedAt } from "../parts/submit.ts";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { settingAction } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";
import { NAMES, type Values, mayHavePayload } from "./draft.ts";
import { Code, FlagValue } from "./flag-facts.tsx";
import type { Screen } from "./screen.tsx";
import { RuleFields, ValueField } from "./value-fields.tsx";

type OwnName = Exclude<OptionalName, SharedName>;

/** The sections of the fields that each environment has for itself. */
const OWN_SECTIONS = SECTIONS.filter(([, names]) => !names.some((name) => name in SHARED)) as [
  string,
  OwnName[],
][];

/** The form of a flag's values in one environment, with what they would do for contexts. */
export function ValuesForm({ screen }: { screen: Screen }) {
  const { place, environment, record, values } = screen;
  const { timeZone } = useView();
  const mayWrite = useMayChange([environment]);
  const { draft, base, faults } = values;
  const isSent = values.fields !== null;
  const fields = (
    <>
      <RuleFields values={values} served={screen.served} />
      {(mayHavePayload(base) || mayHavePayload(draft)) && <ValueField name="payload" values={values} />}
      <ValueField name="expires" values={values} hint={`${FIELDS.expiredAt.hint} Time zone ${timeZone}.`} />
      {OWN_SECTIONS.map(([section, names]) => (
        <OptionalFields section={section} names={names} values={values} />
      ))}
    </>
  );
  return (
    <section class="card" aria-labelledby="values-title">
      <h2 id="values-title">
        Values in <EnvironmentName environment={environment} />
      </h2>
      {!mayWrite && (
        <Facts facts={[[record.rules === null ? "Payload" : "Variants", <FlagValue record={record} />]]} />
      )}
      <Form
        to={settingAction(place)}
        values={{ revision: record.revision, zone: timeZone, base: JSON.stringify(base) }}
        class="stack"
        id="values-form"
        label={`Values in ${environment.slug}`}
        isChanged={isSent}
      >
        {mayWrite && (
          // Enter in a field presses the first button of a form.
          <button type="submit" name="act" value="save" class="unseen" tabindex={-1} aria-hidden="true">
            Save
          </button>
        )}
        {faults[""] !== undefined && (
          <Notice tone="bad">
            <p>{faults[""]}</p>
          </Notice>
        )}
        {mayWrite ? (
          fields
        ) : (
          <details id="other-values" open={isSent}>
            <summary>Try other values</summary>
            <div class="stack">{fields}</div>
          </details>
        )}
        <TryFields values={values} />
        {mayWrite && <Saving environment={environment} values={values} />}
      </Form>
    </section>
  );
}

/** The bar of values that are not stored yet. */
function Saving({ environment, values }: { environment: Environment; values: Values }) {
  const { timeZone } = useView();
  const { difference } = values;
  const faults = NAMES.flatMap((name) => values.faults[name] ?? []);
  const { slug, approvals } = environment;
  return (
    <section class="unsaved stack" aria-label="Not saved" id="unsaved">
      <ul id="difference" data-part="difference" aria-live="polite">
        {difference?.length === 0 && <li>Nothing differs from what is stored.</li>}
        {difference === undefined &&
          faults.map((fault) => (
            <li class="error">
              <Foreign text={fault} />
            </li>
          ))}
        {difference?.map((line) => (
          <li>
            <Foreign text={line} />
          </li>
        ))}
      </ul>
      <div class="filters">
        <WhyField id="values-why" value={typedAt(values, "why").value} />
        <Button kind="primary" name="act" value="save">
          Save in {slug}
        </Button>
        {approvals > 0 && (
          <Button name="propose" value={PROPOSED_FOR}>
            Propose
          </Button>
        )}
        <Button name="act" value="check">
          Check
        </Button>
        <Button name="act" value="discard">
          Discard
        </Button>
        <TextField
          {...typedAt(values, "at")}
          id="values-at"
          type="datetime-local"
          label="Save at"
          hint={`Time zone ${timeZone}.`}
        />
        <Button name="act" value="schedule" icon="clock">
          Schedule
        </Button>
      </div>
    </section>
  );
}

/** The optional fields of one section. */
function OptionalFields({
  section,
  names,
  values,
}: {
  section: string;
  names: readonly OwnName[];
  values: Values;
}) {
  const isSet = names.some((name) => values.draft[name] !== (FIELDS[name].kind === "switch" ? "off" : ""));
  return (
    <details open={isSet} id={`${section.toLowerCase()}-part`}>
      <summary>{section}</summary>
      <div class="stack">
        {names.map((name) => (
          <ValueField name={name} values={values} />
        ))}
      </div>
    </details>
  );
}

const EXAMPLE = '{"targetingKey": "ann", "email": "ann@example.com"}';

/** Tries what the form holds, which is not stored. */
function TryFields({ values }: { values: Values }) {
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
