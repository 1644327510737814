import { Option } from "commander";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { GUARD_ACTIONS } from "../../../src/flags/ramps/ramp.ts";
import { collectPhrases } from "../../session/values.ts";

/** An experiment of an environment, by its name. */
export type Place = { project: string; environment: string; experiment: string };

export const EXPERIMENT: [string, string] = ["[name]", "name of the experiment"];

export const placeOptions = (): Option[] => [projectOption(), environmentOption()];

/** The experiment that was given and the environment of `-p` and `-e`, prompted for if missing. */
export async function readPlace(input: Input, given?: string): Promise<Place> {
  const experiment = await input.need(given, "name");
  return { ...(await input.place()), experiment };
}

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
