import { path } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";

/** An environment of a project, by their slugs. */
export type Place = { project: string; environment: string };

export function urlOf({ project, environment }: Place): string {
  return path`/projects/${project}/environments/${environment}`;
}

/** The project of `-p` and the environment that was given, prompted for where missing. */
export async function readPlace(input: Input, given: string | undefined): Promise<Place> {
  const project = await input.project();
  return { project, environment: await input.need(given, "environment") };
}
