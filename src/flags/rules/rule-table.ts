import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { ruleOfCondition } from "./condition-parser.ts";
import { conditionInWords } from "./condition-words.ts";
import { requireRoom } from "./conditions.ts";
import { hasRule, isShare, rowsOfRule } from "./rule-rows.ts";
import type { FlagRules } from "./rules.ts";
import { resultOf, shareInWords, sharesOf } from "./shares.ts";

type Targeting = NonNullable<FlagRules["targeting"]>;
type Variants = FlagRules["variants"];

/** Readers for whom a condition in words holds get a variant or a share: `plan is pro` and `on`, `25 %` or `10 % red, 90 % blue`. */
export type RuleRow = { condition: string; serve: string };

/** A rule in words. The first row that matches decides; other users get `rest`, or the default if it is empty. */
export type RuleTable = { rows: RuleRow[]; rest: string };

/**
 * The rule of a table; null for an empty one. Throws `invalid`, which names the row: `row 2: …`. A row without `serve` is on,
 * for a flag that is on or off.
 */
export function ruleOfTable({ rows, rest }: RuleTable, variants: Variants): Targeting | null {
  requireRoom([...rows.flatMap(({ condition, serve }) => [condition, serve]), rest]);
  const pairs = rows.flatMap(({ condition, serve }, at) =>
    inRow(`row ${at + 1}`, () => [ruleOfCondition(condition), resultOf(serve, variants)]),
  );
  if (rest.trim() === "") return pairs.length === 0 ? null : { if: pairs };
  const last = inRow("everyone else", () => resultOf(rest, variants));
  if (pairs.length > 0) return { if: [...pairs, last] };
  if (typeof last !== "string") return last;
  throw new AppError("invalid", `everyone else: without a row everyone gets the default variant`, {
    hint: `choose ${last} as the default, or write a share such as 25 %`,
  });
}

function inRow<T>(row: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${row}: ${error.message}`, {
      hint: error.hint ?? undefined,
      cause: error,
    });
  }
}

/** The table of a rule, from which `ruleOfTable` makes one of the same meaning; null for a rule that words do not express. */
export function tableOfRule(targeting: unknown, variants: Variants): RuleTable | null {
  try {
    const table = readTable(targeting as Targeting | null | undefined, variants);
    if (table !== null) ruleOfTable(table, variants);
    return table;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function readTable(targeting: Targeting | null | undefined, variants: Variants): RuleTable | null {
  if (targeting === null || targeting === undefined || !hasRule(targeting)) return { rows: [], rest: "" };
  const { rows, rest } = isShare(targeting) ? { rows: [], rest: targeting } : (rowsOfRule(targeting) ?? {});
  if (rows === undefined) return null;
  const read = rows.map(({ condition, result }) => ({
    condition: conditionInWords(condition),
    serve: wordsOf(result, variants),
  }));
  const last = rest === undefined ? "" : wordsOf(rest, variants);
  const isWhole = last !== null && read.every(({ condition, serve }) => condition !== null && serve !== null);
  return isWhole ? { rows: read as RuleRow[], rest: last } : null;
}

/** The words for a result; null if none are read as it, such as for a variant whose name has a comma. */
function wordsOf(result: unknown, variants: Variants): string | null {
  if (result === "") return null;
  const words = typeof result === "string" ? result : shareInWords(result, variants);
  return words !== null && isSameResult(resultOf(words, variants), result) ? words : null;
}

function isSameResult(one: unknown, other: unknown): boolean {
  return one === other || (isObject(other) && Bun.deepEquals(servedBy(one), servedBy(other)));
}

/** The variants that a split serves, in order, with their shares. */
function servedBy(result: unknown): string[] | undefined {
  const shares = sharesOf(result)?.filter(({ percent }) => percent !== "0");
  return shares?.map(({ variant, percent }) => `${percent} ${variant}`);
}
