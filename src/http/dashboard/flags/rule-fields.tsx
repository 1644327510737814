import { coloursOf } from "../../../flags/flag-fields.ts";
import type { Child } from "../markup.ts";
import { ComparisonFields, isOfRow, RowField, RULE_ERROR } from "../parts/conditions.tsx";
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import { Button } from "../parts/link.tsx";
import { useMay } from "../view.ts";
import { type Field, fieldOf, inRows, isJson, type Values, variantsOf } from "./draft.ts";
import {
  BLANK,
  conditionsOf,
  type EditedRow,
  type EditedServe,
  editedServe,
  type EditedTable,
  joinOf,
  SEGMENT_WORDS,
  SHARES,
} from "./rules.ts";
import { coloursFor } from "./variants.tsx";

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

/** A rule: its conditions, what readers get, and the buttons of the row. */
export function Row({
  row,
  number,
  count,
  variants,
  colours,
  isWrong,
  mayWrite,
}: {
  row: EditedRow;
  number: number;
  /** How many rows hold something. */
  count: number;
  variants: Readonly<Record<string, unknown>>;
  colours: ReadonlyMap<string, string>;
  isWrong: boolean;
  mayWrite: boolean;
}) {
  const conditions = row.edit ? row.edit.conditions : conditionsOf(row.condition);
  const join = row.edit ? row.edit.join : joinOf(row.condition);
  return (
    <div class="rule stack" role="group" aria-label={`Rule ${number}`}>
      {conditions === null ? (
        <RowField
          name={`words-${number}`}
          label={`Condition of rule ${number}`}
          value={row.condition}
          placeholder="email ends with @example.com"
          isWrong={isWrong}
        />
      ) : (
        (conditions.length === 0 ? [BLANK] : conditions).map((each, at) => (
          <div class="comparison" role="group" aria-label={`Condition ${at + 1}`}>
            {at === 1 && (
              <select name={`join-${number}`} aria-label="Joined by" class="short">
                <option value="and">and</option>
                <option value="or" selected={join === "or"}>
                  or
                </option>
              </select>
            )}
            {at > 1 && <span>{join}</span>}
            <ComparisonFields
              row={each}
              suffix={`-${number}`}
              more={SEGMENT_WORDS}
              labelOf={(field) => field}
              operatorLabel="Operator"
              list="segments"
              isWrong={isWrong}
            />
          </div>
        ))
      )}
      <Serve
        row={String(number)}
        edit={
          row.edit ?? editedServe(row.serve === "" ? (Object.keys(variants)[0] ?? "") : row.serve, variants)
        }
        colours={colours}
        isWrong={isWrong}
      />
      {mayWrite && (
        <p class="row-buttons">
          {conditions !== null && (
            <Button name="act" value={`and-${number}`} icon="plus">
              And
            </Button>
          )}
          {number > 1 && number <= count && (
            <Button name="act" value={`up-${number}`} icon="arrowUp">
              Up
            </Button>
          )}
          {number < count && (
            <Button name="act" value={`down-${number}`} icon="arrowDown">
              Down
            </Button>
          )}
          {number <= count && (
            <Button name="act" value={`remove-${number}`} icon="x">
              Remove
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** The choice of a variant, or of shares, which show once they are chosen. */
export function Serve({
  row,
  edit: { serve, shares },
  none,
  colours,
  isWrong,
}: {
  row: string;
  edit: EditedServe;
  colours: ReadonlyMap<string, string>;
  /** The label of no choice; without it there is none. */
  none?: string;
  isWrong: boolean;
}) {
  const names = shares.map(({ variant }) => variant);
  const other = serve === "" || serve === SHARES || names.includes(serve) ? [] : [serve];
  return (
    <div class="serve">
      <label>
        Serve{" "}
        <select
          name={`serve-${row}`}
          aria-label="Serve"
          class="short"
          aria-invalid={isWrong ? "true" : undefined}
          aria-describedby={isWrong ? RULE_ERROR : undefined}
        >
          {none !== undefined && <option value="">{none}</option>}
          {[...other, ...names].map((name) => (
            <option value={name} selected={name === serve}>
              {name}
            </option>
          ))}
          <option value={SHARES} selected={serve === SHARES}>
            shares
          </option>
        </select>
      </label>
      <span class="shares">
        {shares.map(({ variant, percent }) => (
          <label>
            Share of {variant}{" "}
            <input type="number" name={`share-${row}`} min="0" max="100" step="any" value={percent} />
            <input type="hidden" name={`of-${row}`} value={variant} />
            <input type="hidden" name={`was-${row}`} value={percent} />
          </label>
        ))}
        <ShareBar row={row} shares={shares} colours={colours} />
      </span>
    </div>
  );
}

/** Shares of variants as one bar in their colours; the fields beside it hold their numbers. */
function ShareBar({
  row,
  shares,
  colours,
}: {
  row: string;
  shares: readonly { variant: string; percent: string }[];
  colours: ReadonlyMap<string, string>;
}) {
  const widths = shares.map(({ percent }) => Math.min(100, Math.max(0, Number(percent) || 0)));
  return (
    <svg
      class="share-bar"
      data-part={`shares-${row}`}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {shares.map(({ variant }, at) => (
        <rect
          x={widths.slice(0, at).reduce((sum, width) => sum + width, 0)}
          width={widths[at]}
          height="1"
          fill={colours.get(variant)}
        />
      ))}
    </svg>
  );
}
