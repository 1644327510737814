import { type Environment, compile } from "../evaluator/evaluator.ts";
import { type Context, type Flags, type FlagsDocument, OPERATIONS, asJson } from "./flags.ts";

/** Returns a function that says whether a user who got a variant of a flag is counted by what measures it. */
export function createCounting(): (flags: Flags, key: string, context: Context) => boolean {
  let last: { flags: Flags; rules: ReturnType<typeof compile> } | undefined;
  return (flags, key, context) => {
    const counts = flags.document.flags[key]?.formflag?.counts;
    if (counts === undefined || counts === true) return counts === true;
    if (last?.flags !== flags) last = { flags, rules: compile(countingIn(flags.document), OPERATIONS) };
    return last.rules.evaluate(key, asJson(context)).value === true;
  };
}

/** The rules of who is counted, in place of those of the flags: shares depend on the key of a flag. */
function countingIn({ flags, $evaluators = {} }: FlagsDocument): Environment {
  const variants = { counted: true, row: false };
  const rules = Object.entries(flags).flatMap(([key, { formflag }]) => {
    const { counts } = formflag ?? {};
    if (counts === undefined || counts === true) return [];
    return [
      [key, { state: "ENABLED", variants, defaultVariant: "counted", targeting: counts.rule }] as const,
    ];
  });
  return { flags: Object.fromEntries(rules), $evaluators };
}
