import { AppError } from "../../base/errors.ts";
import { pick, RULE_NAMES } from "../flag-fields.ts";

/**
 * A flag definition of flagd without its state; members that were left out stay out. All variants are of one type:
 * boolean, string, number or object. https://flagd.dev/reference/flag-definitions/
 */
export type FlagRules = {
  variants: Record<string, unknown>;
  defaultVariant?: string | null | undefined;
  /** A rule in JSONLogic that yields the name of a variant, or null for the default. */
  targeting?: Record<string, unknown> | undefined;
  metadata?: Record<string, string | number | boolean> | undefined;
};

/** A change to rules: null removes variants, default, targeting or metadata. */
export type RulesPatch = {
  variants?: FlagRules["variants"] | null | undefined;
  defaultVariant?: string | null | undefined;
  targeting?: FlagRules["targeting"] | null;
  metadata?: FlagRules["metadata"] | null;
};

export function changesRules(patch: RulesPatch): boolean {
  return RULE_NAMES.some((name) => patch[name] !== undefined);
}

/** Applies a patch to rules; both are JSON text, or null for a plain flag. Throws `invalid` for a patch that does not fit. */
export function applyRules(current: string | null, patch: RulesPatch): string | null {
  if (!changesRules(patch)) return current;
  if (patch.variants === null) return null;
  const before = current === null ? undefined : parseRules(current);
  const variants = patch.variants ?? before?.variants;
  if (variants === undefined) {
    throw new AppError("invalid", "this flag has no variants for a default or a rule to choose from", {
      reason: "variants-missing",
    });
  }
  const rules = { ...before, variants };
  if (patch.defaultVariant !== undefined) rules.defaultVariant = patch.defaultVariant;
  if (patch.targeting !== undefined) rules.targeting = patch.targeting ?? undefined;
  if (patch.metadata !== undefined) rules.metadata = patch.metadata ?? undefined;
  const { defaultVariant } = rules;
  if (defaultVariant && !Object.hasOwn(variants, defaultVariant)) {
    throw new AppError("invalid", `the default variant "${defaultVariant}" is not one of the variants`, {
      hint: `choose one of ${Object.keys(variants).join(", ")}`,
    });
  }
  return rulesText(rules);
}

/** The JSON text to store for rules, with members always in the same order. */
export function rulesText(rules: FlagRules): string {
  return JSON.stringify(pick(rules, RULE_NAMES));
}

/** Whether all variants are true or false, so that a flag can have a payload for readers who get true. */
export function areBoolean(variants: FlagRules["variants"]): boolean {
  return Object.values(variants).every((value) => typeof value === "boolean");
}

/** Whether a flag with these rules, as JSON text, can have a payload; null is a plain flag. */
export function takesPayload(rules: string | null): boolean {
  return rules === null || areBoolean(parseRules(rules).variants);
}

export function parseRules(text: string): FlagRules {
  return JSON.parse(text) as FlagRules;
}
