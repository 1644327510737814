import { AreaField, TextField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { RULE_ERROR, isOfRow } from "../parts/conditions.tsx";
import { useMay } from "../view.ts";
import { type Draft, type Faults, tableOf, variantsOf } from "./draft.ts";
import { Row, Serve } from "./rule-row.tsx";
import { type EditedRow, type EditedTable, editedServe } from "./rule-rows.ts";

const EMPTY: EditedRow = { condition: "", serve: "" };

/** Variants, the default and the rule; `table` is null for a rule in JSON. */
export function RuleFields({
  draft,
  table,
  faults,
}: {
  draft: Draft;
  table: EditedTable | null;
  faults: Faults;
}) {
  const { variants, targeting, defaultVariant } = draft;
  const isWrong = [faults.variants, faults.defaultVariant, faults.targeting].some(
    (fault) => fault !== undefined,
  );
  const hasRows = table !== null && (table.rows.length > 0 || table.rest !== "");
  return (
    <details open={variants !== "" || targeting !== "" || isWrong || hasRows} id="rule">
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
          hint="Served if no rule chooses one. Empty for none."
          value={defaultVariant}
          error={faults.defaultVariant}
        />
        {table === null ? (
          <JsonRule targeting={targeting} fault={faults.targeting} mayBeRows={tableOf(draft) !== null} />
        ) : (
          <RuleRows
            table={table}
            variants={variantsOf(draft) ?? {}}
            defaultVariant={defaultVariant}
            fault={faults.targeting}
          />
        )}
      </div>
    </details>
  );
}

/** The rule in flagd's language. */
function JsonRule({
  targeting,
  fault,
  mayBeRows,
}: {
  targeting: string;
  fault: string | undefined;
  /** Whether it could be shown as rows. */
  mayBeRows: boolean;
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
      {mayBeRows && mayWrite && (
        <p>
          <Button name="act" value="rows">
            Edit as rows
          </Button>
        </p>
      )}
    </div>
  );
}

/** The rule as rows: a group for each, and one for everyone else. */
function RuleRows({
  table: { rows, rest, restEdit },
  variants,
  defaultVariant,
  fault,
}: {
  table: EditedTable;
  variants: Readonly<Record<string, unknown>>;
  defaultVariant: string;
  fault: string | undefined;
}) {
  const mayWrite = useMay("flags:write");
  const all = [...rows, EMPTY];
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
          isWrong={!isRestWrong && index < rows.length && isOfRow(fault, index + 1)}
          mayWrite={mayWrite}
        />
      ))}
      <div class="rule stack" role="group" aria-label="Everyone else">
        <span>Everyone else</span>
        <Serve
          row="rest"
          edit={restEdit ?? editedServe(rest, variants)}
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
