import type { Option } from "commander";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";

/** An experiment of an environment, by its name. */
export type Place = { project: string; environment: string; experiment: string };

export const EXPERIMENT: [string, string] = ["[name]", "name of the experiment"];

export const placeOptions = (): Option[] => [projectOption(), environmentOption()];

/** The experiment that was given and the environment of `-p` and `-e`, prompted for if missing. */
export async function readPlace(input: Input, given?: string): Promise<Place> {
  const experiment = await input.need(given, "name");
  return { ...(await input.place()), experiment };
}
