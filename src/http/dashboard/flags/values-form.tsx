import {
  type Field,
  FIELDS,
  type OptionalName,
  SECTIONS,
  SHARED,
  type SharedName,
} from "../../../flags/flag-fields.ts";
import { sentence } from "../error-page.tsx";
import { AreaField, SelectField, TextField, WhyField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Facts } from "../parts/card.tsx";
import { PROPOSED_FOR } from "../parts/propose.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Environment } from "../../../projects/environment.ts";
import { useMayChange, useView } from "../view.ts";
import { type Draft, type Faults, type DraftInput, draftOf, inputOf, mayHavePayload } from "./draft.ts";
import { settingAction } from "../paths.ts";
import { FlagValue } from "./flag-facts.tsx";
import { RuleFields } from "./rule-fields.tsx";
import type { Setting } from "./setting.tsx";
import type { Person } from "./test-people.tsx";
import { type Tried, TryFields } from "./try.tsx";

type OwnName = Exclude<OptionalName, SharedName>;

/** The sections of the fields that each environment has for itself. */
const OWN_SECTIONS = SECTIONS.filter(([, names]) => !names.some((name) => name in SHARED)) as [
  string,
  OwnName[],
][];

/** Unsaved input of the values form. */
export type ValuesDraft = DraftInput & {
  /** Values that the form was rendered from. */
  base: Draft;
  why: string;
  /** When to make the change, and what is wrong with that. */
  at: string;
  atFault?: string | undefined;
  /** Error that concerns no single field. */
  problem?: string | undefined;
  tried?: Tried | undefined;
  /** The changes of saving, a line for each field; left out until it was checked. */
  difference?: readonly string[] | undefined;
  /** The people of the project, and what saving changes for them. */
  people?: readonly Person[] | undefined;
};

/** The form of a flag's values in one environment, with what they would do for contexts. */
export function ValuesForm({ setting, typed }: { setting: Setting; typed: ValuesDraft | null }) {
  const { place, environment, record } = setting;
  const { timeZone } = useView();
  const mayWrite = useMayChange([environment]);
  const stored = draftOf(record, timeZone);
  const input: DraftInput = typed ?? inputOf(stored);
  const { draft, faults } = input;
  const base = typed?.base ?? stored;
  const fields = (
    <>
      <RuleFields input={input} served={setting.served} />
      {(mayHavePayload(base) || mayHavePayload(draft)) && (
        <AreaField
          name="payload"
          label="Payload"
          hint="JSON for readers, with variants for those who get true. Empty for none."
          value={draft.payload}
          rows={linesOf(draft.payload)}
          code
          error={faults.payload}
        />
      )}
      <TextField
        name="expires"
        type="datetime-local"
        label="Expires"
        hint={`Off from then on. Empty for never. Time zone ${timeZone}.`}
        value={draft.expires}
        error={faults.expires}
      />
      {OWN_SECTIONS.map(([section, names]) => (
        <OptionalFields section={section} names={names} draft={draft} faults={faults} />
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
        isChanged={typed !== null}
      >
        {mayWrite && (
          // Enter in a field presses the first button of a form.
          <button type="submit" name="act" value="save" class="unseen" tabindex={-1} aria-hidden="true">
            Save
          </button>
        )}
        {typed?.problem !== undefined && (
          <Notice tone="bad">
            <p>{sentence(typed.problem)}</p>
          </Notice>
        )}
        {mayWrite ? (
          fields
        ) : (
          <details id="other-values" open={typed !== null}>
            <summary>Try other values</summary>
            <div class="stack">{fields}</div>
          </details>
        )}
        <TryFields tried={typed?.tried} />
        {mayWrite && <Saving environment={environment} typed={typed} />}
      </Form>
    </section>
  );
}

/** The bar of values that are not stored yet. */
function Saving({ environment, typed }: { environment: Environment; typed: ValuesDraft | null }) {
  const { timeZone } = useView();
  const { why = "", at = "", atFault, difference } = typed ?? {};
  const faults = Object.values(typed?.faults ?? {});
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
        <WhyField id="values-why" value={why} />
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
          id="values-at"
          name="at"
          type="datetime-local"
          label="Save at"
          hint={`Time zone ${timeZone}.`}
          value={at}
          error={atFault}
        />
        <Button name="act" value="schedule" icon="clock">
          Schedule
        </Button>
      </div>
    </section>
  );
}

/** The height of a field for a text. */
function linesOf(text: string): number {
  return Math.min(20, Math.max(4, text.split("\n").length + 1));
}

const YES_NO = [
  { value: "off", label: "No" },
  { value: "on", label: "Yes" },
];

/** The optional fields of one section. */
function OptionalFields({
  section,
  names,
  draft,
  faults,
}: {
  section: string;
  names: readonly OwnName[];
  draft: Draft;
  faults: Faults;
}) {
  const isSet = names.some((name) => draft[name] !== (FIELDS[name].kind === "switch" ? "off" : ""));
  return (
    <details open={isSet} id={`${section.toLowerCase()}-part`}>
      <summary>{section}</summary>
      <div class="stack">
        {names.map((name) => (
          <OptionalField name={name} value={draft[name]} error={faults[name]} />
        ))}
      </div>
    </details>
  );
}

function OptionalField({ name, value, error }: { name: OwnName; value: string; error: string | undefined }) {
  const field: Field = FIELDS[name];
  const common = { name, label: field.ask ?? field.label, hint: field.hint, value, error };
  if (field.kind === "switch") return <SelectField {...common} options={YES_NO} />;
  if (field.kind === "markdown") return <AreaField {...common} rows={linesOf(value)} />;
  return <TextField {...common} />;
}
