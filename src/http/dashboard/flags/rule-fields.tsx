import { isObject } from "../../../base/json.ts";
import type { RuleRow, RuleTable } from "../../../flags/rules/rule-table.ts";
import { parseJson } from "../json-text.ts";
import { AreaField, TextField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { RULE_ERROR, RowField, isOfRow } from "../parts/conditions.tsx";
import { useMay } from "../view.ts";
import { type Draft, type Faults, tableOf } from "./draft.ts";

const EMPTY: RuleRow = { condition: "", serve: "" };

/** Variants, the default and the rule; `table` is null for a rule in JSON. */
export function RuleFields({
  draft,
  table,
  faults,
}: {
  draft: Draft;
  table: RuleTable | null;
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
            names={namesOf(variants)}
            defaultVariant={defaultVariant}
            fault={faults.targeting}
          />
        )}
      </div>
    </details>
  );
}

/** The names of the variants; of a flag that has none those that it gets with a rule. */
function namesOf(variants: string): string[] {
  const parsed = variants.trim() === "" ? { value: { on: true, off: false } } : parseJson(variants);
  return "value" in parsed && isObject(parsed.value) ? Object.keys(parsed.value) : [];
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

/** The rule in words: a row for each condition, and one for everyone else. */
function RuleRows({
  table: { rows, rest },
  names,
  defaultVariant,
  fault,
}: {
  table: RuleTable;
  names: readonly string[];
  defaultVariant: string;
  fault: string | undefined;
}) {
  const mayWrite = useMay("flags:write");
  const all = [...rows, EMPTY];
  const other = names.find((name) => name !== names[0]) ?? names[0] ?? "on";
  const isRestWrong = fault !== undefined && /^everyone else:/i.test(fault);
  return (
    <fieldset aria-describedby={fault === undefined ? "rule-hint" : `rule-hint ${RULE_ERROR}`}>
      <legend>Rule</legend>
      <p class="hint" id="rule-hint">
        The first row that holds decides. A condition is in words:{" "}
        <code>plan is pro and country in AT, DE</code>, <code>segment staff</code>,{" "}
        <code>not (age is at least 18)</code>. Serve a variant or shares: <code>25 %</code>,{" "}
        <code>
          10 % {names[0] ?? "on"}, 90 % {other}
        </code>
        .
      </p>
      <datalist id="variant-names">
        {names.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      {all.map((row, index) => (
        <Row
          row={row}
          number={index + 1}
          count={rows.length}
          isWrong={!isRestWrong && index < rows.length && isOfRow(fault, index + 1)}
          mayWrite={mayWrite}
        />
      ))}
      <div class="rule-row" role="group" aria-label="Everyone else">
        <span>Everyone else</span>
        <span aria-hidden="true">serve</span>
        <RowField
          name="rest"
          label="Serve everyone else"
          value={rest}
          placeholder={defaultVariant === "" ? "the default" : defaultVariant}
          list="variant-names"
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

function Row({
  row,
  number,
  count,
  isWrong,
  mayWrite,
}: {
  row: RuleRow;
  number: number;
  /** How many rows hold something. */
  count: number;
  isWrong: boolean;
  mayWrite: boolean;
}) {
  return (
    <div class="rule-row" role="group" aria-label={`Rule ${number}`}>
      <RowField
        name="condition"
        label={`Condition of rule ${number}`}
        value={row.condition}
        placeholder="email ends with @example.com"
        isWrong={isWrong}
      />
      <span aria-hidden="true">serve</span>
      <RowField
        name="serve"
        label={`Serve in rule ${number}`}
        value={row.serve}
        placeholder="on"
        list="variant-names"
        isWrong={isWrong}
      />
      {mayWrite && number <= count && (
        <p class="row-buttons">
          {number > 1 && (
            <Button name="act" value={`up-${number}`} icon="arrowUp" label={`Move rule ${number} up`} />
          )}
          {number < count && (
            <Button name="act" value={`down-${number}`} icon="arrowDown" label={`Move rule ${number} down`} />
          )}
          <Button name="act" value={`remove-${number}`} icon="x" label={`Remove rule ${number}`} />
        </p>
      )}
    </div>
  );
}
