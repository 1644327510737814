import { AppError } from "../../base/errors.ts";
import type { FlagValues } from "../flag.ts";
import { hasRule, isShare, rowsOfRule } from "../rules/rule-rows.ts";
import { type FlagRules, parseRules, rulesText } from "../rules/rules.ts";
import { shareRule, splittingAttributes } from "../rules/shares.ts";
import type { RampedState } from "./ramp.ts";

type Targeting = NonNullable<FlagRules["targeting"]>;

/** Rules whose share can be changed: rows of conditions, followed by the share of a variant in percent. */
export type Ramped = SharedRules & { share: number };

/** The rules of a flag with its rows of conditions, and the last element behind them: undefined, a variant, or a share. */
export type SharedRules = { rules: FlagRules; rows: unknown[]; rest: unknown };

/** Reads the rules of a flag that ends in a share, or could. Throws `invalid` for a rule of another kind. */
export function readRows({ enabled, rules: text }: RampedState): SharedRules {
  const rules = text === null ? plainRules(enabled) : parseRules(text);
  const { defaultVariant, targeting } = rules;
  if (!hasRule(targeting)) return { rules, rows: [], rest: undefined };
  if (isShare(targeting)) return { rules, rows: [], rest: targeting };
  const table = rowsOfRule(targeting);
  if (table === null) throw otherRule();
  const rows = table.rows.flatMap(({ condition, result }) => [condition, result]);
  const rest = table.rest ?? undefined;
  if (rest === undefined || rest === defaultVariant) return { rules, rows, rest: undefined };
  if (!isShare(rest)) throw otherRule();
  return { rules, rows, rest };
}

/**
 * Reads the share of a variant among users who match no row, in percent. A flag without variants is treated as one with
 * `on` and `off`. Throws `invalid` for an unknown variant, and for a rule of another kind.
 */
export function readShare(state: RampedState, variant: string): Ramped {
  const { variants, defaultVariant = null } =
    state.rules === null ? plainRules(state.enabled) : parseRules(state.rules);
  requireVariant(variants, variant);
  if (defaultVariant === null)
    throw new AppError("invalid", "a ramp needs a default variant, for those whom it has not reached", {
      hint: "set the default of the flag first",
    });
  const shared = readRows(state);
  if (shared.rest === undefined) return { ...shared, share: variant === defaultVariant ? 100 : 0 };
  return { ...shared, share: shareIn(shared.rest as Targeting, variant, defaultVariant) };
}

/** Throws `invalid` for a variant that does not exist. */
export function requireVariant(variants: FlagRules["variants"], variant: string): void {
  if (Object.hasOwn(variants, variant)) return;
  throw new AppError("invalid", `"${variant}" is not a variant of the flag`, {
    reason: "ramp-variant",
    hint: `choose one of ${Object.keys(variants).join(", ")}`,
  });
}

/** Variants that a plain flag gets. */
function plainRules(enabled: boolean): FlagRules {
  return { variants: { on: true, off: false }, defaultVariant: enabled ? "on" : "off" };
}

/** The share of the variant, which stands first, so that a larger share keeps its users. Throws `invalid`. */
function shareIn({ fractional }: Targeting, variant: string, rest: string): number {
  const others = splittingAttributes({ fractional }).filter((name) => name !== "targetingKey");
  if (others.length > 0)
    throw new AppError(
      "invalid",
      `the share of this flag is by ${others.join(" and ")}, and a ramp is by the targetingKey`,
      {
        hint: "take the share away from the rule first",
      },
    );
  const [first, second, ...more] = Array.isArray(fractional) ? (fractional as unknown[]) : [];
  if (more.length > 0 || variant === rest) throw otherRule();
  const [own, left] = [weightOf(first, variant), weightOf(second, rest)];
  if (own + left === 0) throw otherRule();
  return Number(((own / (own + left)) * 100).toFixed(4));
}

function weightOf(bucket: unknown, variant: string): number {
  const [name, weight = 1] = Array.isArray(bucket) ? (bucket as unknown[]) : [];
  if (name !== variant || typeof weight !== "number" || weight < 0) throw otherRule();
  return weight;
}

function otherRule(): AppError {
  return new AppError(
    "invalid",
    "a ramp sets the share of a variant beside the default: the rule of this flag is of another kind",
    { hint: "leave the rule conditions, and at most a share of the variant and of the default behind them" },
  );
}

/**
 * The rules with another share of the variant, as JSON text; with all of the users it is the default. Within a condition,
 * everyone else gets the default.
 */
export function writeShare(
  { rules, rows }: Pick<Ramped, "rules" | "rows">,
  variant: string,
  share: number,
  within?: Targeting,
): string {
  if (within) {
    if (share === 100) return writeRest({ rules, rows: [...rows, within, variant] }, undefined);
    return writeShare({ rules, rows: [...rows, { "!": [within] }, rules.defaultVariant] }, variant, share);
  }
  if (share === 100) return writeRest({ rules: { ...rules, defaultVariant: variant }, rows }, undefined);
  return writeRest({ rules, rows }, shareRule(String(share), { on: variant, off: rules.defaultVariant! }));
}

/** The rows, except that which keeps a share within a condition. */
export function withoutLimit(rows: unknown[], within: Targeting | undefined): unknown[] {
  return within && Bun.deepEquals(rows.at(-2), { "!": [within] }) ? rows.slice(0, -2) : rows;
}

/** A flag that is off serves its variant to no user: it is not the default then. */
export function asUnreached<T extends RampedState>(flag: T, variant: string): T {
  const rules = flag.enabled || flag.rules === null ? null : parseRules(flag.rules);
  const other = Object.keys(rules?.variants ?? {}).find((name) => name !== variant);
  if (rules?.defaultVariant !== variant || other === undefined) return flag;
  return { ...flag, rules: rulesText({ ...rules, defaultVariant: other }) };
}

/** The rules as JSON text, with another share after the rows or without one. */
export function writeRest({ rules, rows }: Omit<SharedRules, "rest">, rest: Targeting | undefined): string {
  const elements = rest === undefined ? rows : [...rows, rest];
  const targeting = rows.length === 0 ? rest : { if: elements };
  return rulesText({ ...rules, targeting });
}

/** The parts of a flag that a ramp sets. */
export function rampedState({ enabled, rules }: Pick<FlagValues, "enabled" | "rules">): RampedState {
  if (rules === null) return { enabled, rules: null };
  const { metadata: _, ...own } = parseRules(rules);
  return { enabled, rules: rulesText(own) };
}

/** Whether a flag is as a ramp has left it. */
export function isAsLeft(now: RampedState, left: RampedState): boolean {
  if (now.enabled !== left.enabled) return false;
  const [is, was] = [rampedState(now).rules, left.rules];
  if (is === was) return true;
  return is !== null && was !== null && Bun.deepEquals(parseRules(is), parseRules(was), true);
}

/** The rules of a flag, as JSON text, with those parts that a ramp sets as they were. */
export function withState(rules: string | null, state: RampedState): string | null {
  const metadata = rules === null ? undefined : parseRules(rules).metadata;
  if (metadata === undefined) return state.rules;
  const own = state.rules === null ? plainRules(state.enabled) : parseRules(state.rules);
  return rulesText({ ...own, metadata });
}
