import { AppError } from "../base/errors.ts";
import { type FlagRules, parseRules } from "../flags/rules/rules.ts";
import { readRows, requireVariant, writeRest } from "../flags/ramps/ramp-share.ts";
import type { RampedState } from "../flags/ramps/ramp.ts";
import { EXPERIMENT_LIMITS } from "./limits.ts";
import type { Design, Split } from "./experiment.ts";

type Given = { control?: string | undefined; split?: Split | undefined };

/**
 * The control and the split of an experiment: by default the default variant, and all variants alike. Throws `invalid` for a
 * flag that cannot be split so.
 */
export function readSplit(state: RampedState, given: Given): Pick<Design, "control" | "split"> {
  const { rules } = readRows(state);
  const names = Object.keys(rules.variants);
  if (given.split === undefined && names.length > EXPERIMENT_LIMITS.variants)
    throw new AppError("invalid", `an experiment compares 2 to ${EXPERIMENT_LIMITS.variants} variants`, {
      hint: "name them in the split",
    });
  if (names.length < 2)
    throw new AppError("invalid", "the flag has one variant: an experiment compares two or more");
  const control = given.control ?? rules.defaultVariant;
  if (control == null)
    throw new AppError("invalid", "the flag has no default variant: name the control of the experiment", {
      reason: "experiment-control",
    });
  const alike = [control, ...names.filter((name) => name !== control)].map((name) => [name, 1] as const);
  const split: Split = given.split ?? Object.fromEntries(alike);
  for (const name of Object.keys(split)) requireVariant(rules.variants, name);
  if (!Object.hasOwn(split, control))
    throw new AppError("invalid", `the control ${control} is not in the split`, {
      reason: "experiment-control",
      hint: `choose one of ${Object.keys(split).join(", ")}, or give it a weight`,
    });
  return { control, split };
}

/**
 * The rules of a flag with the split after its rows, as JSON text. The control is last, so that a ramp of another
 * variant keeps the users it has. Throws `invalid` for a rule of another kind.
 */
export function writeSplit(
  state: RampedState,
  { control, split }: Pick<Design, "control" | "split">,
): string {
  const shared = readRows(state);
  for (const name of Object.keys(split)) requireVariant(shared.rules.variants, name);
  const others = Object.entries(split).filter(([name]) => name !== control);
  return writeRest(shared, { fractional: [...others, [control, split[control]!]] });
}

/** The rules of a flag with another default and without a share after its rows, as JSON text. */
export function writeDefault(state: RampedState, variant: string): string {
  const { rules, rows } = readRows(state);
  requireVariant(rules.variants, variant);
  return writeRest({ rules: { ...rules, defaultVariant: variant }, rows }, undefined);
}

/** A rule that yields `counted` for users of the split, who match no row; null if these are all users. */
export function countedRule(rules: string | null): FlagRules | null {
  if (rules === null) return null;
  const { rows } = readRows({ enabled: true, rules });
  if (rows.length === 0) return null;
  const { metadata: _, ...own } = parseRules(rules);
  const variants = { row: false, counted: true };
  const marked = rows.map((each, index) => (index % 2 === 1 ? "row" : each));
  return { ...own, variants, defaultVariant: "counted", targeting: { if: [...marked, "counted"] } };
}
