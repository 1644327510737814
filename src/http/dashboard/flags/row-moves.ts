import { type Fields, rowOf } from "../fields.ts";
import { type DraftInput, isTyped, typedTable, variantsOf, withTable, withVariants } from "./draft.ts";
import { BLANK } from "./rule-rows.ts";
import { blankVariant } from "./variants/variant-rows.ts";
import type { ValuesDraft } from "./values-form.tsx";

/** The draft with another variant after `variant`, and without the second after `drop-2`. */
export function withVariantsMoved(typed: ValuesDraft, act: string): DraftInput {
  const { variants } = typed;
  if (variants === null) return typed;
  const { type, rows } = variants;
  const moved = act === "variant" ? [...rows, blankVariant(variants)] : rows.toSpliced(rowOf(act) - 1, 1);
  return withVariants(typed, typed.base, { type, rows: moved });
}

/** The draft after a button of its rows: `row` adds one, `and-2` a condition, `up-2`, `down-2` and `remove-2` are for the second. */
export function withRowsMoved(typed: ValuesDraft, fields: Fields, act: string): ValuesDraft {
  const { rows, ...rest } = typedTable(fields, variantsOf(typed.draft) ?? {});
  const at = rowOf(act) - 1;
  const to = act.startsWith("up") ? at - 1 : at + 1;
  if (act === "row") rows.push({ condition: "", serve: "" });
  else if (act.startsWith("remove")) rows.splice(at, 1);
  else if (act.startsWith("and")) rows[at]?.edit?.conditions?.push(BLANK);
  else if (rows[at] && rows[to]) [rows[at], rows[to]] = [rows[to], rows[at]];
  const kept = act === "row" || act.startsWith("and") ? rows : rows.filter(isTyped);
  const table = { rows: kept, ...rest };
  return { ...typed, ...withTable(typed.draft, typed.base, table), table };
}
