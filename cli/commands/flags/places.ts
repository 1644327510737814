import type { Input } from "../../session/input.ts";
import { ifRevision } from "../../session/change-options.ts";
import type { Session } from "../../session/session.ts";
import { namesIn, requireOne } from "../../session/several.ts";
import type { Place } from "./place.ts";

/** Every flag that was given, in every environment of `-e`, prompted for if missing. */
export async function readPlaces(input: Input, given: unknown): Promise<Place[]> {
  const names = namesIn(given);
  const flags = names.length > 0 ? names : [await input.need(undefined, "flag")];
  const project = await input.project();
  const environments = await input.environments(project);
  return environments.flatMap((environment) => flags.map((flag) => ({ project, environment, flag })));
}

/** The places in the order of their change: locked environments first, so that a lock refuses it before anything is done. Throws `not_found` for an environment. */
export async function inLockOrder({ client }: Session, places: Place[]): Promise<Place[]> {
  if (places.length < 2) return places;
  const { environments: operation } = await import("../../../src/operations/environments.ts");
  const locked = new Map<string, boolean>();
  for (const { project, environment } of places) {
    if (locked.has(environment)) continue;
    const found = await client.call(operation.get, { names: { project, environment } });
    locked.set(environment, found.locked);
  }
  return places.toSorted((a, b) => Number(locked.get(b.environment)) - Number(locked.get(a.environment)));
}

/** Flags by their slugs; the revision that one alone has to have. */
export type FlagsOfProject = { slugs: string[]; project: string; revision: number | undefined };

/** Reads the slugs of flags and their project. Throws `invalid` for a revision with several flags. */
export async function readFlags(input: Input, given?: string): Promise<FlagsOfProject> {
  const names = namesIn(given);
  const slugs = names.length > 0 ? names : [await input.need(undefined, "flag")];
  const revision = ifRevision(input.options);
  requireOne(slugs, revision);
  return { slugs, project: await input.project(), revision };
}
