import { isObject } from "../../../base/json.ts";
import type { Condition } from "../../../flags/rules/conditions.ts";
import { parseJson } from "../json-text.ts";
import { AreaField, TextField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { ComparisonFields, RULE_ERROR, RowField, isOfRow } from "../parts/conditions.tsx";
import { useMay } from "../view.ts";
import { type Draft, type Faults, type DraftInput, rowsOf } from "./draft.ts";

/** Empty rows behind those that hold a condition. */
const EMPTY_ROWS = 2;
const EMPTY: Condition = { attribute: "", operator: "==", value: "", variant: "" };

/** Variants, the default and the rule. `rows` is undefined for an unedited form. */
export function RuleFields({
  draft,
  rows,
  faults,
}: {
  draft: Draft;
  rows: DraftInput["rows"] | undefined;
  faults: Faults;
}) {
  const { variants, targeting, defaultVariant } = draft;
  const asRows = rowsOf(targeting);
  const names = variants.trim() === "" ? { value: { on: true, off: false } } : parseJson(variants);
  const isWrong = [faults.variants, faults.defaultVariant, faults.targeting].some(
    (fault) => fault !== undefined,
  );
  return (
    <details open={variants !== "" || targeting !== "" || isWrong || (rows ?? []).length > 0} id="rule">
      <summary>Variants and rule</summary>
      <div class="stack">
        <AreaField
          name="variants"
          label="Variants"
          hint={
            <>
              The values to choose from, by name, such as <code>{'{"on": true, "off": false}'}</code>. Other
              values than these take the place of the payload. Empty for none.
            </>
          }
          value={variants}
          rows={Math.min(20, Math.max(4, variants.split("\n").length + 1))}
          code
          error={faults.variants}
        />
        <TextField
          name="defaultVariant"
          label="Default variant"
          hint="Served where no rule chooses one. Empty for none."
          value={defaultVariant}
          error={faults.defaultVariant}
        />
        <datalist id="variant-names">
          {"value" in names &&
            isObject(names.value) &&
            Object.keys(names.value).map((name) => <option value={name} />)}
        </datalist>
        <RuleField
          rows={rows === undefined ? asRows : rows}
          targeting={targeting}
          fault={faults.targeting}
          mayBeRows={asRows !== null}
        />
      </div>
    </details>
  );
}

/** The rule of a flag: rows of conditions, or JSON in flagd's language with null for rows. */
function RuleField({
  rows,
  targeting,
  fault,
  mayBeRows,
}: {
  rows: readonly Condition[] | null;
  targeting: string;
  fault: string | undefined;
  /** Whether the JSON could be shown as rows. */
  mayBeRows: boolean;
}) {
  // Others type a rule and try it, without the buttons that the server would refuse.
  const mayWrite = useMay("flags:write");
  if (rows === null)
    return (
      <div class="stack">
        <AreaField
          name="targeting"
          label="Rule"
          hint="JSON in flagd's language, which yields the name of a variant. Empty for none."
          value={targeting}
          rows={Math.min(24, Math.max(6, targeting.split("\n").length + 1))}
          code
          error={fault}
        />
        {mayBeRows && mayWrite && (
          <p>
            <Button name="act" value="rows">
              Edit the rule as rows
            </Button>
          </p>
        )}
      </div>
    );
  const all = [...rows, ...Array.from({ length: EMPTY_ROWS }, () => EMPTY)];
  return (
    <fieldset aria-describedby={fault === undefined ? "rule-hint" : `rule-hint ${RULE_ERROR}`}>
      <legend>Rule</legend>
      <p class="hint" id="rule-hint">
        The first row that holds chooses the variant; without one the default is served. Quotes make a number
        a text.
      </p>
      {all.map((row, index) => (
        <Row row={row} number={index + 1} isWrong={index < rows.length && isOfRow(fault, index + 1)} />
      ))}
      {fault !== undefined && (
        <p class="error" id={RULE_ERROR}>
          {fault}
        </p>
      )}
      {mayWrite && (
        <p class="buttons">
          <Button name="act" value="row" icon="plus">
            Add rows
          </Button>
          <Button name="act" value="json">
            Edit the rule as JSON
          </Button>
        </p>
      )}
    </fieldset>
  );
}

function Row({ row, number, isWrong }: { row: Condition; number: number; isWrong: boolean }) {
  const labelOf = (field: string) => `${field} of row ${number}`;
  return (
    <div class="condition">
      <span aria-hidden="true">if</span>
      <ComparisonFields row={row} labelOf={labelOf} operatorLabel="Comparison" isWrong={isWrong} />
      <span aria-hidden="true">serve</span>
      <RowField
        name="variant"
        label={labelOf("Variant")}
        value={row.variant}
        placeholder="on"
        list="variant-names"
        isWrong={isWrong}
      />
    </div>
  );
}
