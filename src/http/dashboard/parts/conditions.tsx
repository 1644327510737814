import { AppError } from "../../../base/errors.ts";

/** What is wrong with rows, with the first one that a check refuses by itself: `row 2: …`. */
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

/** Whether a fault is of the row of this number: of every row where it names none. */
export function isOfRow(fault: string | undefined, number: number): boolean {
  if (fault === undefined) return false;
  const named = /^(?:row|condition) (\d+):/i.exec(fault)?.[1];
  return named === undefined || Number(named) === number;
}
