import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";

/** A segment of an environment, by its name. */
export type Place = { project: string; environment: string; segment: string };

export function urlOf({ project, environment, segment }: Place): string {
  return path`/projects/${project}/environments/${environment}/segments/${segment}`;
}

/** The segment that was given and the environment of `-p` and `-e`, prompted for where missing. */
export async function readPlace(input: Input, given: string | undefined): Promise<Place> {
  const segment = await input.need(given, "name");
  const project = await input.project();
  return { project, environment: await input.environment(project), segment };
}
