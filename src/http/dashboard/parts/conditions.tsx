import { own } from "../../../base/shapes/own.ts";
import { AppError } from "../../../base/errors.ts";
import { type Comparison, OPERATORS, OPERATOR_WORDS } from "../../../flags/rules/conditions.ts";
import { type Fields, textsOf } from "../fields.ts";

/** The id of what is wrong with the rows of a rule. */
export const RULE_ERROR = "rule-error";

/** The library would leave out a false one. */
const AS_WRITTEN: object = { spellcheck: "false", autocapitalize: "off" };

/** A field of a row, named by it: `Value of row 2`. */
export function RowField({
  name,
  label,
  value,
  placeholder,
  list,
  isWrong,
}: {
  name: string;
  label: string;
  value: string;
  placeholder: string;
  list?: string;
  isWrong: boolean;
}) {
  return (
    <input
      name={name}
      aria-label={label}
      value={value}
      placeholder={placeholder}
      autocomplete="off"
      list={list}
      aria-invalid={isWrong ? "true" : undefined}
      aria-describedby={isWrong ? RULE_ERROR : undefined}
      {...AS_WRITTEN}
    />
  );
}

/** The fields of a comparison: attribute, operator and value. */
export function ComparisonFields({
  row: { attribute, operator, value },
  suffix = "",
  more = {},
  labelOf,
  operatorLabel,
  list,
  isWrong,
}: {
  row: Comparison;
  /** The end of the names of its fields. */
  suffix?: string;
  /** Operators beside those of comparisons, with their words. */
  more?: Readonly<Record<string, string>>;
  /** Names a field by its row. */
  labelOf: (field: string) => string;
  operatorLabel: string;
  /** The id of a list of values that a browser offers to complete. */
  list?: string;
  isWrong: boolean;
}) {
  const known = [...OPERATORS, ...Object.keys(more)];
  const options = known.includes(operator) ? known : [operator, ...known];
  return (
    <>
      <RowField
        name={`attribute${suffix}`}
        label={labelOf("Attribute")}
        value={attribute}
        placeholder="email"
        isWrong={isWrong}
      />
      <select name={`operator${suffix}`} aria-label={labelOf(operatorLabel)}>
        {options.map((each) => (
          <option value={each} selected={each === operator}>
            {own(OPERATOR_WORDS, each) ?? own(more, each) ?? each}
          </option>
        ))}
      </select>
      <RowField
        name={`value${suffix}`}
        label={labelOf("Value")}
        value={value}
        placeholder="@example.com"
        {...(list !== undefined && { list })}
        isWrong={isWrong}
      />
    </>
  );
}

/** The rows of a form in which something was typed; every row has an operator. */
export function rowsIn<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): Record<Name | "operator", string>[] {
  const columns = new Map([...names, "operator" as const].map((name) => [name, textsOf(fields, name)]));
  return textsOf(fields, names[0]!)
    .map((_, at) => {
      const row = [...columns].map(([name, texts]) => [name, (texts[at] ?? "").trim()]);
      return Object.fromEntries(row) as Record<Name | "operator", string>;
    })
    .filter((row) => names.some((name) => row[name] !== ""));
}

/** Error of rows, with the number of the first invalid row: `row 2: …`. */
export function faultOfRows<Row>(
  noun: "row" | "condition",
  { message, hint }: AppError,
  rows: readonly Row[],
  check: (row: Row) => unknown,
): string {
  const text = hint === null ? message : `${message}: ${hint}`;
  const at = rows.findIndex((row) => isRefused(() => check(row)));
  return at === -1 ? text : `${noun} ${at + 1}: ${text}`;
}

function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  }
}

/** Whether a fault is of the row of this number: of every row if it names none. */
export function isOfRow(fault: string | undefined, number: number): boolean {
  if (fault === undefined) return false;
  const named = /^(?:row|condition) (\d+):/i.exec(fault)?.[1];
  return named === undefined || Number(named) === number;
}
