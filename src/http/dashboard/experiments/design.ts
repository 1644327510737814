import { parseSplit } from "../../../experiments/experiment.ts";
import { newExperimentSchema } from "../../../experiments/experiment-schema.ts";
import { type Fields, textOf } from "../fields.ts";
import { checkAll, faultAt } from "../parts/submit.ts";

/** A new experiment as it is typed; the fields of its form have these names. */
export const BLANK = {
  name: "",
  environment: "",
  flag: "",
  /** The first metric, which decides. */
  metrics: "",
  /** The other metrics, each on a line. */
  more: "",
  split: "",
  control: "",
  minDays: "7",
  hypothesis: "",
  /** Each on a line. */
  guards: "",
  onGuard: "pause",
  why: "",
};

export type Design = typeof BLANK;

export function typedIn(fields: Fields): Design {
  const typed = Object.keys(BLANK).map((name) => [name, textOf(fields, name).trim()]);
  return Object.fromEntries(typed) as Design;
}

/** A design for the admin API. Throws the faults of its fields. */
export function designOf(typed: Design) {
  const { name, flag, metrics, more, split, control, minDays, hypothesis, guards, onGuard } = typed;
  const weights = split === "" ? undefined : parseSplit(split);
  if (split !== "" && !weights)
    throw faultAt("split", "write a weight for each variant, such as off:50,on:50");
  if (metrics === "")
    throw faultAt("metrics", "name what decides, such as submissions:contact or event:signup");
  return checkAll(newExperimentSchema, {
    name,
    flag,
    metrics: [metrics, ...linesOf(more)],
    ...(weights && { split: weights }),
    ...(control !== "" && { control }),
    ...(minDays !== "" && { minDays: Number(minDays) }),
    ...(hypothesis !== "" && { hypothesis }),
    guards: linesOf(guards),
    onGuard,
  });
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
