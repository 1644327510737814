import { FIELD_NAMES, FIELDS, type FieldName, NO_OPTIONAL, pick, RULE_NAMES } from "../flag-fields.ts";
import type { FlagPatch, FlagRecord } from "../flag.ts";
import { flagState } from "../history.ts";
import { takesPayload } from "../rules/rules.ts";

/** A patch names the state first, then the rules. */
const NAMES = [...new Set<FieldName>(["enabled", ...RULE_NAMES, ...FIELD_NAMES])];

/** The patch that turns `after` back into `before`. It names only what differs, so that other changes in between stay. */
export function inverseOf(before: FlagRecord, after: FlagRecord): FlagPatch {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  const differing = NAMES.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  return pick(
    was,
    differing.filter((name) => isNamed(name, before.rules)),
  );
}

/** Every field of a flag, also those that are not set, as a patch sets or removes them. */
function valuesOf(record: FlagRecord): FlagPatch {
  const noRules = Object.fromEntries(RULE_NAMES.map((name) => [name, null]));
  return { payload: {}, ...noRules, ...NO_OPTIONAL, ...flagState(record) };
}

/** Without variants there are no rules, and with variants other than true and false no payload. */
function isNamed(name: FieldName, rules: string | null): boolean {
  if (name === "payload") return takesPayload(rules);
  return rules !== null || name === "variants" || FIELDS[name].kind !== "rule";
}
