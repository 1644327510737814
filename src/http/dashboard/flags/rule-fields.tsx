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
  joinOf,
  SEGMENT_WORDS,
  SHARES,
} from "./rules.ts";
import { coloursFor } from "./variant-rows.ts";

/** The rule as rows or as JSON, and what everyone else gets. */
export function RuleFields({ values, segments }: { values: Values; segments: readonly string[] }) {
  const { draft, faults } = values;
  const own = draft.defaultVariant;
  const names = [...(own === "" ? [] : [own]), ...Object.keys(variantsOf(draft) ?? {})];
  const options = [...new Set(names)].map((name) => ({ value: name, label: name }));
  return (
    <>
      <datalist id="segments">
        {segments.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      {values.table === null ? (
        <JsonRule values={values} />
      ) : (
        <RuleRows values={values} table={values.table} />
      )}
      <SelectField
        name="defaultVariant"
        label={fieldOf("defaultVariant").label}
        hint="Served if no rule chooses one."
        value={own}
        error={faults["defaultVariant"]}
        options={[{ value: "", label: "none" }, ...options]}
      />
    </>
  );
}

/** The rule in flagd's language. */
function JsonRule({ values }: { values: Values }) {
  const rows = inRows(values.draft);
  const mayBeRows = rows.table !== null || (values.variants === null && rows.variants !== null);
  return (
    <div class="stack">
      <ValueField name="targeting" values={values} />
      {/* Others type a rule and try it, without the buttons that the server would refuse. */}
      {useMay("flags:write") && (
        <p class="buttons">
          {mayBeRows && <ActButton act="rows">Edit as rows</ActButton>}
          {values.variants !== null && <ActButton act="json">Edit as JSON</ActButton>}
        </p>
      )}
    </div>
  );
}

/** A button that shows the form again. */
function ActButton({
  act,
  ...button
}: { act: string } & Pick<Parameters<typeof Button>[0], "icon" | "children">) {
  return <Button name="act" value={act} {...button} />;
}

/** Properties that all parts of a rule have. */
type Shared = { variants: Readonly<Record<string, unknown>>; colours: ReadonlyMap<string, string> };

/** The rule as rows: a group for each, and one for everyone else. */
function RuleRows({
  values: { draft, faults },
  table: { rows, rest, restEdit },
}: {
  values: Values;
  table: NonNullable<Values["table"]>;
}) {
  const fault = faults["targeting"];
  const variants = variantsOf(draft) ?? {};
  const shared = { variants, colours: coloursFor(variants, coloursOf(draft.colours)) };
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
          {...shared}
          row={row}
          number={index + 1}
          count={rows.length}
          isWrong={!isRestWrong && isOfRow(fault, index + 1)}
        />
      ))}
      <div class="rule stack" role="group" aria-label="Everyone else">
        <span>{rows.length === 0 ? "Everyone" : "Everyone else"}</span>
        <Serve
          {...shared}
          row="rest"
          edit={restEdit ?? editedServe(rest, variants)}
          none={draft.defaultVariant === "" ? "the default" : `the default, ${draft.defaultVariant}`}
          isWrong={isRestWrong}
        />
      </div>
      {fault !== undefined && (
        <p class="error" id={RULE_ERROR}>
          {fault}
        </p>
      )}
      {useMay("flags:write") && (
        <p class="buttons">
          <ActButton act="row" icon="plus">
            Rule
          </ActButton>
          <ActButton act="json">Edit as JSON</ActButton>
        </p>
      )}
    </fieldset>
  );
}

/** A rule: its conditions, what readers get, and the buttons of the row. */
function Row({
  row: { condition, serve, edit },
  number,
  count,
  isWrong,
  ...shared
}: Shared & { row: EditedRow; number: number; count: number; isWrong: boolean }) {
  const { conditions, join } = edit ?? { conditions: conditionsOf(condition), join: joinOf(condition) };
  return (
    <div class="rule stack" role="group" aria-label={`Rule ${number}`}>
      {conditions === null ? (
        <RowField
          name={`words-${number}`}
          label={`Condition of rule ${number}`}
          value={condition}
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
        {...shared}
        row={String(number)}
        edit={edit ?? editedServe(serve || (Object.keys(shared.variants)[0] ?? ""), shared.variants)}
        isWrong={isWrong}
      />
      {useMay("flags:write") && (
        <p class="row-buttons">
          {conditions !== null && (
            <ActButton act={`and-${number}`} icon="plus">
              And
            </ActButton>
          )}
          {number > 1 && (
            <ActButton act={`up-${number}`} icon="arrowUp">
              Up
            </ActButton>
          )}
          {number < count && (
            <ActButton act={`down-${number}`} icon="arrowDown">
              Down
            </ActButton>
          )}
          <ActButton act={`remove-${number}`} icon="x">
            Remove
          </ActButton>
        </p>
      )}
    </div>
  );
}

/** The choice of a variant, or of shares, which show once they are chosen. `none` is the label of no choice, if there is one. */
function Serve({
  row,
  edit: { serve, shares },
  none,
  colours,
  isWrong,
}: Shared & { row: string; edit: EditedServe; none?: string; isWrong: boolean }) {
  const names = shares.map(({ variant }) => variant);
  const other = serve === "" || serve === SHARES || names.includes(serve) ? [] : [serve];
  const widths = shares.map(({ percent }) => Math.min(100, Math.max(0, Number(percent) || 0)));
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
          {[...other, ...names, SHARES].map((name) => (
            <option value={name} selected={name === serve}>
              {name}
            </option>
          ))}
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
        {/* The fields beside it hold the numbers. */}
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
      </span>
    </div>
  );
}

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
  return kind === "markdown" || kind === "requires" ? (
    <AreaField {...common} rows={rows} />
  ) : (
    <TextField {...common} />
  );
}
