import { AppError } from "../../src/base/errors.ts";
import { ruleOfCondition } from "../../src/flags/rules/condition-parser.ts";
import { usage } from "./usage.ts";

/** The condition of an option as a rule. Throws `invalid` with the column of what is not understood. */
export function conditionOf(text: string, option = "--if"): Record<string, unknown> {
  if (/^\s*[{[]/.test(text))
    throw usage(
      `${option} takes a condition in words, not JSON`,
      "flags set --targeting and segments set --rule take JSON",
    );
  if (/^\s*\d[\d.]*\s*%/.test(text))
    throw usage(
      `${option} takes a condition, not a share of users`,
      "flags set --rollout 25 turns on for 25 % of users",
    );
  return asked(option, () => ruleOfCondition(text));
}

/** Reads the value of an option. Throws `invalid`, which names the option. */
export function asked<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw usage(`${option}: ${error.message}`, error.hint ?? undefined);
  }
}
