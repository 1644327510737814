import { isObject } from "../../../base/json.ts";
import { parseJson } from "../json-text.ts";
import { AreaField, TextField } from "../parts/field.tsx";
import { type Draft, type Faults, type Typed, rowsOf } from "./draft.ts";
import { RuleField } from "./rule-field.tsx";

/** Variants, the default and the rule. `rows` is undefined for a form that nobody has touched. */
export function RuleFields({
  draft,
  rows,
  faults,
}: {
  draft: Draft;
  rows: Typed["rows"] | undefined;
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
