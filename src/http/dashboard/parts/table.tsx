import type { Child } from "../markup.ts";
import type { Scope } from "../../../access/scope.ts";
import { useMay } from "../view.ts";

/** Characters of a label that are certain to fit into a column. */
const MAX_LABEL = 16;

export type Column<T> = {
  label: string;
  cell: (row: T) => Child;
  /** Numbers stand at the right, with digits of one width. */
  numeric?: boolean;
  /** The heading of a row, and of its card on a phone. */
  heading?: boolean;
  /** The label is for those who listen: the cells explain themselves. */
  isLabelUnseen?: boolean;
  /** Whether its cells have one line: what is cut off the label is where the pointer rests. */
  isCut?: boolean;
  /** The scope that what it offers takes: others do not see it. */
  scope?: Scope;
};

/** A table that becomes a list of cards on a phone. `caption` names it for those who listen. */
export function Table<T>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** Names a row, so that an update of the page keeps its place. */
  keyOf?: (row: T) => string;
}) {
  const shown = columns.filter(({ scope }) => scope === undefined || useMay(scope));
  return (
    <table class="cards">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {shown.map(({ label, numeric, isLabelUnseen, isCut }) => (
            <th
              scope="col"
              class={numeric ? "numeric" : undefined}
              title={isCut && label.length > MAX_LABEL ? label : undefined}
            >
              {isLabelUnseen ? <span class="unseen">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr id={keyOf?.(row)}>
            {shown.map(({ label, cell, numeric, heading, isLabelUnseen }) =>
              heading ? (
                <th scope="row">{cell(row)}</th>
              ) : (
                <td class={numeric ? "numeric" : undefined} data-label={isLabelUnseen ? undefined : label}>
                  {/* Beside its label on a phone, whatever it is made of. */}
                  {isLabelUnseen ? cell(row) : <div>{cell(row)}</div>}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
