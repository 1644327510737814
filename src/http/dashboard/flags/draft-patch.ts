import * as z from "zod/mini";
import { isoTime } from "../../../base/clock.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { flagPatchSchema } from "../../../flags/flag-schema.ts";
import type { FlagPatch } from "../../../flags/flag.ts";
import { parseJson } from "../json-text.ts";
import { type Draft, type Faults, type Field, NAMES, fieldOf, isJson } from "./draft.ts";

/** The change from `base` to a draft, of which it names only what differs; or what is wrong with the draft. */
export function patchOf(draft: Draft, base: Draft, timeZone: string): { patch: FlagPatch; faults: Faults } {
  const faults: Faults = {};
  const patch: Record<string, unknown> = {};
  const jsonOf = (name: Field, empty: unknown): unknown => {
    if (draft[name].trim() === "") return empty;
    const parsed = parseJson(draft[name]);
    if (parsed.fault === undefined) return parsed.value;
    faults[name] = parsed.fault;
    return undefined;
  };
  for (const name of changedFields(draft, base)) {
    if (name === "expires") {
      const at = draft.expires === "" ? null : parseWallTime(draft.expires, timeZone);
      if (at === null && draft.expires !== "") faults.expires = "write a date and a time";
      patch["expiredAt"] = at === null ? null : isoTime(at);
    } else if (isJson(name)) patch[name] = jsonOf(name, name === "payload" || name === "colours" ? {} : null);
    else if (name === "defaultVariant") patch[name] = draft[name].trim() || null;
    else patch[name] = fieldOf(name).kind === "switch" ? draft[name] === "on" : draft[name];
  }
  completeRules(patch, draft);
  const checked = z.safeParse(flagPatchSchema, patch);
  if (!checked.success)
    for (const { path, message } of checked.error.issues) {
      const name = path[0] === "expiredAt" ? "expires" : (path[0] as Field);
      faults[name] ??= message;
    }
  return { patch, faults };
}

/** Variants go with their rule and default; a flag that has none and gets a rule gets the variants on and off. */
function completeRules(patch: Record<string, unknown>, draft: Draft): void {
  if (draft.variants.trim() !== "") return;
  if ("variants" in patch) {
    delete patch["targeting"];
    delete patch["defaultVariant"];
  } else if (patch["targeting"] != null || patch["defaultVariant"] != null) {
    patch["variants"] = { on: true, off: false };
    patch["defaultVariant"] ??= "off";
  }
}

/** Whether two texts of a field mean the same. */
export function isSameText(field: Field, one: string, other: string): boolean {
  if (one.trim() === other.trim()) return true;
  if (!isJson(field)) return one === other;
  const [a, b] = [parseJson(one), parseJson(other)];
  return (
    a.fault === undefined && b.fault === undefined && JSON.stringify(a.value) === JSON.stringify(b.value)
  );
}

/** The fields in which a draft differs from the one it began as. */
export function changedFields(draft: Draft, base: Draft): Field[] {
  return NAMES.filter((name) => !isSameText(name, draft[name], base[name]));
}

/** Merges a draft with a concurrent change: fields that only the other user changed take the stored value. */
export function mergeDrafts(mine: Draft, base: Draft, theirs: Draft): Draft {
  const merged = { ...theirs };
  for (const name of changedFields(mine, base)) merged[name] = mine[name];
  return merged;
}
