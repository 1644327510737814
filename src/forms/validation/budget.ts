import { AppError } from "../../base/errors.ts";
import { childrenOf } from "../../base/json.ts";

/**
 * The steps that are left to check one submission. The limits of sizes and of levels do not bound the time: without steps,
 * a schema with three branches at each level takes 3 s for a submission of ten levels, and three times as long for each
 * level more.
 */
export type Budget = { left: number };

/**
 * Steps of one check, one or two microseconds each: one for a schema and a value, one for each of its keywords, and one
 * for each entry of their lists. A contact form takes 40.
 */
export const MAX_STEPS = 50_000;

/** Characters, times instructions of a pattern, in one step. */
const INSTRUCTIONS = 256;

/** Comparisons of two items in one step, and the characters in one comparison. */
const [COMPARISONS, CHARACTERS] = [20, 200];

/** Throws `too_large` if no steps are left: the submission is enormous, or the schema branches at each of its levels. */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) {
    throw new AppError(
      "too_large",
      "the submission is too large to be checked against the schema of the form",
    );
  }
}

/** The steps to run a pattern of so many instructions over a text. */
export function stepsOfText(text: string, instructions: number): number {
  return (text.length * instructions) / INSTRUCTIONS;
}

/**
 * Spends what `uniqueItems` may take for the lists in the data, as the library compares each item with each other one. A
 * list of 900 numbers is fine, one of 1,100 is not. Throws `too_large`.
 */
export function spendOnLists(budget: Budget, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) spend(budget, (value.length * sizeOf(value)) / COMPARISONS);
  for (const child of childrenOf(value)) spendOnLists(budget, child);
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / CHARACTERS;
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  for (const child of childrenOf(value)) size += sizeOf(child);
  return size;
}
