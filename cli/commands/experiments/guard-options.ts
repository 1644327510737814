import { Option } from "commander";
import { GUARD_ACTIONS } from "../../../src/flags/ramps/ramp.ts";
import { collectPhrases } from "../../session/values.ts";

/** The options for guards of a ramp and of an experiment. */
export function guardOptions(): Option[] {
  return [
    new Option(
      "--guard <guard>",
      "stop if a metric gets worse: 'event:error rises 0%'; repeatable",
    ).argParser(collectPhrases),
    new Option("--on-guard <action>", "action of a guard that fires (default: pause)").choices(GUARD_ACTIONS),
  ];
}
