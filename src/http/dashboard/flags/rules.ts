import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { ruleOfCondition } from "../../../flags/rules/condition-parser.ts";
import { asOneWord } from "../../../flags/rules/condition-values.ts";
import { comparisonInWords } from "../../../flags/rules/condition-words.ts";
import { type Comparison, comparisonOf, OPERATOR_WORDS } from "../../../flags/rules/conditions.ts";
import type { RuleRow, RuleTable } from "../../../flags/rules/rule-table.ts";
import { resultOf, sharesOf, switchOf } from "../../../flags/rules/shares.ts";
import { referencesOf } from "../../../flags/segment.ts";
import { type Fields, textOf, textsOf } from "../fields.ts";
import { lineOfPointer } from "../json-text.ts";
import type { Faults } from "../parts/submit.ts";

/** The operators of conditions without an attribute, whose value is the name of a segment. */
export const SEGMENT_WORDS: Readonly<Record<string, string>> = {
  segment: "segment",
  "not segment": "not segment",
};

/** The value of `Serve` for a split of users. */
export const SHARES = "shares";

type Variants = Readonly<Record<string, unknown>>;

/** A variant with its percentage as it was typed. */
type EditedShare = { variant: string; percent: string };

/** The fields of the result of a row: a variant, nothing, or `shares`. */
export type EditedServe = { serve: string; shares: EditedShare[] };

/** A row of a rule with the fields in which it was typed; `conditions` is null for one that is typed in words. */
export type EditedRow = RuleRow & {
  edit?: EditedServe & { conditions: Comparison[] | null; join: Join };
};

/** Whether all conditions of a row have to hold, or any of them. */
export type Join = "and" | "or";

export type EditedTable = Omit<RuleTable, "rows"> & { rows: EditedRow[]; restEdit?: EditedServe };

export const BLANK: Comparison = { attribute: "", operator: "==", value: "" };

/** The rows of a form, also those in which nothing was typed. */
export function rowsIn(fields: Fields, variants: Variants): EditedRow[] {
  const count = Math.min(1000, Number(textOf(fields, "rules")) || 0);
  return Array.from({ length: count }, (_, at) => rowIn(fields, at + 1, variants));
}

function rowIn(fields: Fields, number: number, variants: Variants): EditedRow {
  const served = serveIn(fields, String(number), variants);
  const words = textOf(fields, `words-${number}`).trim();
  const conditions = conditionsIn(fields, `-${number}`);
  const join: Join = textOf(fields, `join-${number}`) === "or" ? "or" : "and";
  const isInWords = fields.has(`words-${number}`);
  const condition = isInWords ? words : conditions.filter(isFilled).map(inWords).join(` ${join} `);
  const edit = { conditions: isInWords ? null : conditions, join, ...served.edit };
  return { condition, serve: condition === "" ? "" : served.words, edit };
}

/** The comparisons that were typed, also blank ones; the names of their fields end with `suffix`. */
export function conditionsIn(fields: Fields, suffix = "") {
  const [operators, values] = ["operator", "value"].map((name) => textsOf(fields, name + suffix));
  return textsOf(fields, `attribute${suffix}`).map((attribute, at) => ({
    attribute: attribute.trim(),
    operator: operators![at] ?? BLANK.operator,
    value: (values![at] ?? "").trim(),
  }));
}

export function isFilled({ attribute, value }: Comparison): boolean {
  return attribute !== "" || value !== "";
}

function inWords(row: Comparison): string {
  if (Object.hasOwn(SEGMENT_WORDS, row.operator)) return `${row.operator} ${asOneWord(row.value)}`;
  return Object.hasOwn(OPERATOR_WORDS, row.operator)
    ? comparisonInWords(row)
    : `${row.attribute} ${row.operator} ${row.value}`;
}

/** The result of a row of a form, or with `rest` of everyone else: in words, and as its fields show it. */
export function serveIn(
  fields: Fields,
  row: string,
  variants: Variants,
): { words: string; edit: EditedServe } {
  const serve = textOf(fields, `serve-${row}`).trim();
  const [names, typed, was] = ["of", "share", "was"].map((name) => textsOf(fields, `${name}-${row}`));
  const given = names!.map((variant, at) => ({ variant, percent: (typed![at] ?? "").trim() }));
  const shares = completed(given, was!);
  const edit = { serve, shares };
  if (serve !== SHARES || Object.hasOwn(variants, SHARES)) return { words: serve, edit };
  const states = switchOf(variants);
  const [first, second, ...more] = shares.filter(({ percent }) => percent !== "");
  const isOfSwitch = more.length === 0 && first?.variant === states?.on && second?.variant === states?.off;
  if (states !== null && first && isOfSwitch && sumOf(shares) === 100)
    return { words: `${first.percent} %`, edit };
  return { words: shares.map(({ variant, percent }) => `${percent || 0} % ${variant}`).join(", "), edit };
}

function sumOf(shares: readonly EditedShare[]): number {
  return Number(shares.reduce((sum, { percent }) => sum + Number(percent), 0).toFixed(4));
}

/** Shares of which the last one that was not changed takes what the others leave. */
function completed(shares: EditedShare[], was: readonly string[]): EditedShare[] {
  const rest = shares.findLastIndex(({ percent }, at) => percent === "" || percent === was[at]);
  const sum = sumOf(shares);
  if (rest < 0 || sum === 100 || Number.isNaN(sum)) return shares;
  const left = Number((100 - sum + Number(shares[rest]!.percent)).toFixed(4));
  return left < 0 ? shares : shares.with(rest, { ...shares[rest]!, percent: String(left) });
}

/** How the comparisons of a condition in words are joined. */
export function joinOf(words: string): Join {
  try {
    return words !== "" && "or" in ruleOfCondition(words) ? "or" : "and";
  } catch (error) {
    if (error instanceof AppError) return "and";
    throw error;
  }
}

/** The comparisons of a condition in words, all or any of which have to hold; null for a condition of another kind. */
export function conditionsOf(words: string): Comparison[] | null {
  if (words === "") return [BLANK];
  try {
    const rule = ruleOfCondition(words);
    const single = conditionOf(rule);
    if (single) return [single];
    const parts = Object.keys(rule).length === 1 ? (rule["and"] ?? rule["or"]) : null;
    const read = Array.isArray(parts) ? parts.map(conditionOf) : [null];
    return read.every((each) => each !== null) ? read : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function conditionOf(rule: unknown): Comparison | null {
  const comparison = comparisonOf(rule);
  if (comparison !== null) return comparison;
  if (!isObject(rule)) return null;
  const negated: unknown = Array.isArray(rule["!"]) ? rule["!"][0] : undefined;
  const [operator, name] = isObject(negated) ? ["not segment", negated["$ref"]] : ["segment", rule["$ref"]];
  return typeof name === "string" ? { attribute: "", operator, value: name } : null;
}

/** The fields of what readers get in words. */
export function editedServe(words: string, variants: Variants): EditedServe {
  const names = Object.keys(variants);
  const none = names.map((variant, at) => ({ variant, percent: at === 0 ? "100" : "0" }));
  if (words === "" || Object.hasOwn(variants, words)) return { serve: words, shares: none };
  try {
    const found = sharesOf(resultOf(words, variants)) ?? [];
    const served = found.map(({ variant, percent }) => ({ variant, percent }));
    const others = names.filter((name) => found.every(({ variant }) => variant !== name));
    // In the order of the rule: another one would serve another variant to many users.
    return { serve: SHARES, shares: [...served, ...others.map((variant) => ({ variant, percent: "0" }))] };
  } catch (error) {
    if (error instanceof AppError) return { serve: words, shares: none };
    throw error;
  }
}

/** Faults as sentences. */
export function sentences(faults: Faults): Faults {
  return Object.fromEntries(Object.entries(faults).map(([field, fault]) => [field, sentence(fault)]));
}

/** The texts of the fields of a rule, and its rows if it has them. */
type Refused = {
  draft: Record<"variants" | "targeting" | "defaultVariant", string>;
  table: RuleTable | null;
};

/** Errors of a refused flag by field; `faults` for an error that concerns no single field, with its hint. */
export function refusalsOf({ message, hint }: AppError, { draft, table }: Refused, faults: Faults): Faults {
  const [, field, path = "", what] =
    /^\/(variants|targeting|defaultVariant)(\/\S*)?: (.*)$/s.exec(message) ?? [];
  if (field === undefined && message.startsWith("the default variant "))
    return sentences({ defaultVariant: hint === null ? message : `${message}: ${hint}` });
  if (field === undefined)
    return hint !== null && "" in faults ? sentences({ "": `${message} (${hint})` }) : faults;
  const name = field as "variants" | "targeting" | "defaultVariant";
  const rows = name === "targeting" ? table : null;
  const place = placeOfSegment(what!, rows, draft[name]) ?? placeOf(path, rows, draft[name]);
  return sentences({ [name]: `${place}${what}` });
}

/** The row or the line that names the segment of a message; null for another message, and a segment of a segment. */
function placeOfSegment(message: string, table: RuleTable | null, text: string): string | null {
  const segment = /^the segment "([^"]+)"/.exec(message)?.[1];
  if (segment === undefined) return null;
  const refersTo = ({ condition }: RuleRow) =>
    referencesOf(JSON.stringify(ruleOfCondition(condition))).has(segment);
  const isLine = (line: string) => line.includes('"$ref"') && line.includes(JSON.stringify(segment));
  const at = table ? table.rows.findIndex(refersTo) : text.split("\n").findIndex(isLine);
  return at === -1 ? null : `${table ? "row" : "line"} ${at + 1}: `;
}

/** Describes the place in a rule that a JSON pointer names: a row is a condition and its variant in the list of `if`. */
function placeOf(pointer: string, table: RuleTable | null, text: string): string {
  const branch = /^\/if\/(\d+)/.exec(pointer)?.[1];
  if (table !== null) {
    const row = Math.floor(Number(branch ?? 0) / 2) + 1;
    if (branch === undefined) return "";
    return row > table.rows.length ? "everyone else: " : `row ${row}: `;
  }
  const line = pointer === "" || text.trim() === "" ? null : lineOfPointer(text, pointer);
  return line === null ? "" : `line ${line}: `;
}
