import { AreaField, TextField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { RULE_ERROR, isOfRow } from "../parts/conditions.tsx";
import { useMay } from "../view.ts";
import { coloursOf } from "../../../flags/flag-fields.ts";
import { type DraftInput, inputOf, isTyped, variantsOf } from "./draft.ts";
import { Row, Serve } from "./rule-row.tsx";
import { coloursFor } from "./variants/variant-rows.ts";
import { VariantsTable } from "./variants/variants-table.tsx";
import type { Served } from "../../../flags/reads/served.ts";
import { type EditedRow, type EditedTable, editedServe } from "./rule-rows.ts";

const EMPTY: EditedRow = { condition: "", serve: "" };

/** Variants, the default and the rule, as tables or as JSON. */
export function RuleFields({
  input: { draft, table, variants: edited, faults },
  served,
}: {
  input: DraftInput;
  served: Served;
}) {
  const { variants, targeting, defaultVariant } = draft;
  const inRows = inputOf(draft);
  const mayBeRows = inRows.table !== null || (edited === null && inRows.variants !== null);
  return (
    <section class="stack" id="rule" aria-labelledby="rule-title">
      <h3 id="rule-title" class="unseen">
        Variants and rule
      </h3>
      {edited ? (
        <VariantsTable variants={edited} served={served} fault={faults.variants} />
      ) : (
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
      )}
      <TextField
        name="defaultVariant"
        label="Default variant"
        hint="Served if no rule chooses one. Empty for none."
        value={defaultVariant}
        error={faults.defaultVariant}
      />
      {table === null ? (
        <JsonRule
          targeting={targeting}
          fault={faults.targeting}
          mayBeRows={mayBeRows}
          mayBeJson={edited !== null}
        />
      ) : (
        <RuleRows
          table={table}
          variants={variantsOf(draft) ?? {}}
          colours={coloursOf(draft.colours)}
          defaultVariant={defaultVariant}
          fault={faults.targeting}
        />
      )}
    </section>
  );
}

/** The rule in flagd's language. */
function JsonRule({
  targeting,
  fault,
  mayBeRows,
  mayBeJson,
}: {
  targeting: string;
  fault: string | undefined;
  /** Whether it, or the variants, could be shown as rows. */
  mayBeRows: boolean;
  /** Whether the variants could be shown as JSON. */
  mayBeJson: boolean;
}) {
  // Others type a rule and try it, without the buttons that the server would refuse.
  const mayWrite = useMay("flags:write");
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
      {mayWrite && (
        <p class="buttons">
          {mayBeRows && (
            <Button name="act" value="rows">
              Edit as rows
            </Button>
          )}
          {mayBeJson && (
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
  const isLastBlank = rows.length > 0 && !isTyped(rows.at(-1)!);
  const all = isLastBlank ? rows : [...rows, EMPTY];
  const shown = coloursFor(variants, colours);
  const isRestWrong = fault !== undefined && /^everyone else:/i.test(fault);
  return (
    <fieldset aria-describedby={fault === undefined ? "rule-hint" : `rule-hint ${RULE_ERROR}`}>
      <legend>Rule</legend>
      <p class="hint" id="rule-hint">
        The first rule that holds decides. A rule without a condition is left out; of shares, the last one
        that was not changed takes the rest.
      </p>
      <input type="hidden" name="rules" value={String(all.length)} />
      {all.map((row, index) => (
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
        <span>Everyone else</span>
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
            Add rule
          </Button>
          <Button name="act" value="json">
            Edit as JSON
          </Button>
        </p>
      )}
    </fieldset>
  );
}
