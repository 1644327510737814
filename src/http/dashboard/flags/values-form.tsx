import { coloursOf, FIELDS } from "../../../flags/flag-fields.ts";
import type { FlagRecord } from "../../../flags/flag.ts";
import { requirementsInWords, requirementsOf } from "../../../flags/requires/requirement.ts";
import type { RuleRow } from "../../../flags/rules/rule-table.ts";
import { OWN_RULE, ruleClauses } from "../../../flags/rules/rule-words.ts";
import { areBoolean, parseRules } from "../../../flags/rules/rules.ts";
import type { Environment } from "../../../projects/environment.ts";
import { textOf } from "../fields.ts";
import type { Child, PropsWithChildren } from "../markup.ts";
import { PROPOSED_FOR } from "../parts/confirm.tsx";
import { TextField, WhyField } from "../parts/field.tsx";
import { Fold } from "../parts/fold.tsx";
import { Button, Form } from "../parts/link.tsx";
import { typedAt } from "../parts/submit.ts";
import { Foreign, visible } from "../parts/text.tsx";
import { settingAction } from "../paths.ts";
import { useMayChange, useView } from "../view.ts";
import { type Field, isSameText, mayHavePayload, NAMES, tableOf, type Values, variantsOf } from "./draft.ts";
import { Expiry, Problem } from "./flag-facts.tsx";
import { RuleFields, ValueField } from "./rule-fields.tsx";
import type { Screen } from "./screen.tsx";
import { Swatch, VariantFields } from "./variant-fields.tsx";
import { coloursFor } from "./variant-rows.ts";

/** The form of what a flag is in one environment: a sentence for each part, with the fields that change it. */
export function ValuesForm({ screen }: { screen: Screen }) {
  const { place, environment, record, values } = screen;
  const { timeZone } = useView();
  const mayWrite = useMayChange([environment]);
  const { draft, base, faults } = values;
  const isSent = values.fields !== null;
  return (
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
      <section class="card flush rows" aria-labelledby="values-title">
        <div class="title">
          <h2 id="values-title">Rules and values</h2>
        </div>
        <Problem fault={faults[""]} />
        <Part
          screen={screen}
          name="Rules"
          isTyped={areRowsTyped(values)}
          of={["targeting", "defaultVariant"]}
          sentence={<RuleInShort record={record} />}
        >
          <RuleFields values={values} segments={screen.segments} />
        </Part>
        <Part
          screen={screen}
          name="Variants"
          of={["variants", "colours"]}
          sentence={<VariantsInShort values={screen.values} />}
        >
          <VariantFields values={values} served={screen.served} />
        </Part>
        <Part screen={screen} name="While off" of={[]} act="Why" sentence={<WhileOff record={record} />}>
          <p class="hint">
            A flag that is on or off is false while it is off. One of other variants has no value then, and
            programs use the one that their code falls back to.
          </p>
        </Part>
        {(mayHavePayload(base) || mayHavePayload(draft)) && (
          <Part
            screen={screen}
            name="Payload"
            of={["payload"]}
            act={record.payload === null ? "Add" : "Change"}
            sentence={
              record.payload === null ? <span class="soft">none</span> : <Cut text={record.payload} />
            }
          >
            <ValueField name="payload" values={values} />
          </Part>
        )}
        <Part screen={screen} name="Needs" of={["requires"]} sentence={<Needs screen={screen} />}>
          <ValueField name="requires" values={values} />
        </Part>
        <Part
          screen={screen}
          name="Readable by"
          of={["browser"]}
          sentence={
            record.browser ? (
              "servers and browsers"
            ) : (
              <>
                servers; <b>not</b> browsers
              </>
            )
          }
        >
          <ValueField name="browser" values={values} />
        </Part>
        <Part
          screen={screen}
          name="Ends"
          of={["expires"]}
          act={record.expiresAt === null ? "Set" : "Change"}
          sentence={<Expiry record={record} />}
        >
          <ValueField
            name="expires"
            values={values}
            hint={`${FIELDS.expiredAt.hint} Time zone ${timeZone}.`}
          />
        </Part>
        <Part
          screen={screen}
          name="Preview"
          of={["isPreview", "previewName", "previewContent"]}
          sentence={record.isPreview ? "people may try it" : <span class="soft">off</span>}
        >
          {PREVIEW.map((name) => (
            <ValueField name={name} values={values} />
          ))}
        </Part>
      </section>
      {mayWrite && <Saving environment={environment} values={values} />}
    </Form>
  );
}

/** A part of a flag, open if something of it was typed. */
function Part({
  screen: { environment, values },
  name,
  of,
  act = "Change",
  sentence,
  isTyped = false,
  children,
}: PropsWithChildren<{
  screen: Screen;
  name: string;
  /** The fields of this part. */
  of: readonly Field[];
  act?: string;
  sentence: Child;
  /** Whether it holds what is no value of a field yet. */
  isTyped?: boolean;
}>) {
  const mayWrite = useMayChange([environment]);
  const { draft, base, faults, fields } = values;
  const pressed = fields === null ? "" : textOf(fields, "act");
  const isPressed = BUTTONS.get(name)?.test(pressed) ?? false;
  const isOpen =
    isTyped ||
    isPressed ||
    of.some((each) => faults[each] !== undefined || !isSameText(each, draft[each], base[each]));
  return (
    <Fold
      name={name}
      sentence={sentence}
      act={mayWrite || act === "Why" ? act : "Try"}
      isOpen={isOpen}
      id={`${name.toLowerCase().replaceAll(" ", "-")}-part`}
    >
      <div class="editor">{children}</div>
    </Fold>
  );
}

/** Whether the rows of a rule differ from the stored ones, also where they are incomplete. */
function areRowsTyped({ table, base, fields }: Values): boolean {
  if (fields === null || table === null) return false;
  const wordsOf = (rows: readonly RuleRow[]) => rows.map(({ condition, serve }) => [condition, serve]);
  return !Bun.deepEquals(wordsOf(table.rows), wordsOf(tableOf(base)?.rows ?? []));
}

/** The buttons of each part. */
const BUTTONS = new Map([
  ["Rules", /^(?:rows|json|(?:row|and|up|down|remove)(?:-\d+)?)$/],
  ["Variants", /^(?:rows|json|variant|drop-\d+)$/],
]);

const PREVIEW = ["isPreview", "previewName", "previewContent"] as const;

function RuleInShort({ record }: { record: FlagRecord }) {
  if (record.rules === null) return <>everyone gets {record.enabled ? "on" : "off"}</>;
  const clauses = ruleClauses(parseRules(record.rules)) ?? [OWN_RULE];
  return <Foreign text={clauses.join("; ")} />;
}

function VariantsInShort({ values: { base } }: { values: Values }) {
  const variants = Object.entries(variantsOf(base) ?? {});
  const colours = coloursFor(Object.fromEntries(variants), coloursOf(base.colours));
  return (
    <>
      {variants.map(([name, value]) => (
        <span>
          <Swatch colour={colours.get(name)!} /> <Foreign text={name} />{" "}
          <Cut text={JSON.stringify(value)} />{" "}
        </span>
      ))}
    </>
  );
}

/** The flags that a flag needs, and the flags that need it. */
function Needs({ screen: { record, neededBy } }: { screen: Screen }) {
  const needs = requirementsInWords(requirementsOf(record.requires));
  return (
    <>
      {needs === "" ? <span class="soft">no other flag</span> : <Foreign text={needs} />}
      {neededBy.length > 0 && <Foreign text={`; needed by ${neededBy.join(", ")}`} />}
    </>
  );
}

/** The start of a text of a machine. */
function Cut({ text }: { text: string }) {
  return <code>{visible(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)}</code>;
}

/** Characters of a value that a row shows. */
const SHOWN = 60;

/** Result for readers while a flag is off: a flag without variants is false then, another has no value. */
function WhileOff({ record }: { record: FlagRecord }) {
  if (record.rules === null || areBoolean(parseRules(record.rules).variants))
    return (
      <>
        everyone gets <b>off</b>
      </>
    );
  return <>programs use the value that their code falls back to</>;
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
      </div>
      <details id="save-later" open={values.faults["at"] !== undefined}>
        <summary>Later</summary>
        <div class="filters">
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
      </details>
    </section>
  );
}
