import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";

/** A flag of a project as it is in an environment. */
export type Place = { project: string; environment: string; flag: string };

export function urlOf({ project, environment, flag }: Place): string {
  return path`/projects/${project}/environments/${environment}/flags/${flag}`;
}

/** The flag that was given and the environment of `-p` and `-e`, prompted for where missing. */
export async function readPlace(input: Input, given: string | undefined): Promise<Place> {
  const flag = await input.need(given, "flag");
  return { ...(await readEnvironment(input)), flag };
}

/** The environment of `-p` and `-e`, prompted for where missing. */
export async function readEnvironment(input: Input): Promise<{ project: string; environment: string }> {
  const project = await input.project();
  return { project, environment: await input.environment(project) };
}
