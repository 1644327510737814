import type { AppError } from "../../../base/errors.ts";
import { ruleOfCondition } from "../../../flags/rules/condition-parser.ts";
import type { RuleRow, RuleTable } from "../../../flags/rules/rule-table.ts";
import { referencesOf } from "../../../flags/segment.ts";
import { sentence } from "../error-page.tsx";
import { lineOfPointer } from "../json-text.ts";
import type { Faults } from "../parts/submit.ts";
import type { Values } from "./draft.ts";

/** Faults as sentences. */
export function sentences(faults: Faults): Faults {
  return Object.fromEntries(Object.entries(faults).map(([field, fault]) => [field, sentence(fault)]));
}

/** Errors of a refused flag by field; `faults` for an error that concerns no single field, with its hint. */
export function refusalsOf({ message, hint }: AppError, { draft, table }: Values, faults: Faults): Faults {
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
