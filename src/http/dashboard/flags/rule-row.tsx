import { Button } from "../parts/link.tsx";
import { ComparisonFields, RULE_ERROR, RowField } from "../parts/conditions.tsx";
import {
  BLANK,
  type EditedRow,
  type EditedServe,
  SEGMENT_WORDS,
  SHARES,
  conditionsOf,
  joinOf,
  editedServe,
} from "./rule-rows.ts";

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
