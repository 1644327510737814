import { type Evaluation, compile } from "../../src/evaluator/evaluator.ts";

export type Rule = Record<string, unknown>;

/** The result of a flag whose variants have their names as values; the last one is its default. */
export function evaluate(
  key: string,
  targeting: Rule | undefined,
  variants: string[],
  context: Rule = {},
): Evaluation {
  const values = Object.fromEntries(variants.map((name) => [name, name]));
  const flag = { state: "ENABLED" as const, variants: values, defaultVariant: variants.at(-1)! };
  return compile({ flags: { [key]: targeting ? { ...flag, targeting } : flag } }).evaluate(key, context);
}
