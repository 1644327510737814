import { coloursOf } from "../../../flags/flag-fields.ts";
import type { Served } from "../../../flags/reads/served.ts";
import type { Child } from "../markup.ts";
import { RULE_ERROR, isOfRow } from "../parts/conditions.tsx";
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { useMay } from "../view.ts";
import { type Field, type Values, fieldOf, inRows, isJson, variantsOf } from "./draft.ts";
import { Row, Serve } from "./rule-row.tsx";
import { type EditedTable, editedServe } from "./rule-rows.ts";
import { coloursFor } from "./variant-rows.ts";
import { VariantsTable } from "./variants-table.tsx";

const YES_NO = [
  { value: "off", label: "No" },
  { value: "on", label: "Yes" },
];

/** A field of the values of a flag, by its kind. */
export function ValueField({
  name,
  values: { draft, faults },
  ...own
}: {
  name: Field;
  values: Values;
  /** Default: the hint of the field. */
  hint?: Child;
}) {
  const { kind, label, ask = label, hint } = fieldOf(name);
  const value = draft[name];
  const common = { name, label: ask, hint, value, error: faults[name], ...own };
  if (kind === "switch") return <SelectField {...common} options={YES_NO} />;
  if (kind === "time") return <TextField {...common} type="datetime-local" />;
  const rows = Math.min(20, Math.max(4, value.split("\n").length + 1));
  if (isJson(name)) return <AreaField {...common} rows={rows} code />;
  return kind === "markdown" ? <AreaField {...common} rows={rows} /> : <TextField {...common} />;
}

/** The variants as a table, or as JSON. */
export function VariantFields({ values, served }: { values: Values; served: Served }) {
  const { variants, faults } = values;
  if (variants) return <VariantsTable variants={variants} served={served} fault={faults["variants"]} />;
  return (
    <ValueField
      name="variants"
      values={values}
      hint={
        <>
          The values to choose from, by name, such as <code>{'{"on": true, "off": false}'}</code>. Other
          values than these take the place of the payload. Empty for none.
        </>
      }
    />
  );
}

/** The rule as rows or as JSON, and what everyone else gets. */
export function RuleFields({ values, segments }: { values: Values; segments: readonly string[] }) {
  const { draft, table, variants, faults } = values;
  const rows = inRows(draft);
  const mayBeRows = rows.table !== null || (variants === null && rows.variants !== null);
  const names = Object.keys(variantsOf(draft) ?? {});
  const own = draft.defaultVariant;
  const options = [...new Set([...(own === "" ? [] : [own]), ...names])];
  return (
    <>
      <datalist id="segments">
        {segments.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      {table === null ? (
        <JsonRule values={values} mayBeRows={mayBeRows} />
      ) : (
        <RuleRows
          table={table}
          variants={variantsOf(draft) ?? {}}
          colours={coloursOf(draft.colours)}
          defaultVariant={own}
          fault={faults["targeting"]}
        />
      )}
      <SelectField
        name="defaultVariant"
        label={fieldOf("defaultVariant").label}
        hint="Served if no rule chooses one."
        value={own}
        error={faults["defaultVariant"]}
        options={[{ value: "", label: "none" }, ...options.map((name) => ({ value: name, label: name }))]}
      />
    </>
  );
}

/** The rule in flagd's language. */
function JsonRule({
  values,
  mayBeRows,
}: {
  values: Values;
  /** Whether it, or the variants, could be shown as rows. */
  mayBeRows: boolean;
}) {
  // Others type a rule and try it, without the buttons that the server would refuse.
  const mayWrite = useMay("flags:write");
  return (
    <div class="stack">
      <ValueField name="targeting" values={values} />
      {mayWrite && (
        <p class="buttons">
          {mayBeRows && (
            <Button name="act" value="rows">
              Edit as rows
            </Button>
          )}
          {values.variants !== null && (
            <Button name="act" value="json">
              Edit as JSON
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** The rule as rows: a group for each, and one for everyone else. */
function RuleRows({
  table: { rows, rest, restEdit },
  variants,
  colours,
  defaultVariant,
  fault,
}: {
  table: EditedTable;
  variants: Readonly<Record<string, unknown>>;
  /** The colours of variants that have one of their own. */
  colours: Readonly<Record<string, string>>;
  defaultVariant: string;
  fault: string | undefined;
}) {
  const mayWrite = useMay("flags:write");
  const shown = coloursFor(variants, colours);
  const isRestWrong = fault !== undefined && /^everyone else:/i.test(fault);
  return (
    <fieldset aria-describedby={fault === undefined ? "rule-hint" : `rule-hint ${RULE_ERROR}`}>
      <legend>Rule</legend>
      <p class="hint" id="rule-hint">
        The first rule that holds decides; of shares, the last one that was not changed takes the rest.
      </p>
      <input type="hidden" name="rules" value={String(rows.length)} />
      {rows.map((row, index) => (
        <Row
          row={row}
          number={index + 1}
          count={rows.length}
          variants={variants}
          colours={shown}
          isWrong={!isRestWrong && index < rows.length && isOfRow(fault, index + 1)}
          mayWrite={mayWrite}
        />
      ))}
      <div class="rule stack" role="group" aria-label="Everyone else">
        <span>{rows.length === 0 ? "Everyone" : "Everyone else"}</span>
        <Serve
          row="rest"
          edit={restEdit ?? editedServe(rest, variants)}
          colours={shown}
          none={defaultVariant === "" ? "the default" : `the default, ${defaultVariant}`}
          isWrong={isRestWrong}
        />
      </div>
      {fault !== undefined && (
        <p class="error" id={RULE_ERROR}>
          {fault}
        </p>
      )}
      {mayWrite && (
        <p class="buttons">
          <Button name="act" value="row" icon="plus">
            Rule
          </Button>
          <Button name="act" value="json">
            Edit as JSON
          </Button>
        </p>
      )}
    </fieldset>
  );
}
