import { AppError } from "../../../src/base/errors.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import { ifRevision } from "../../session/change-options.ts";
import { namesIn, requireOne } from "../../session/several.ts";
import { nearestOf } from "../../session/guesses/nearest.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";
import { inEnvironment } from "../../session/verb.ts";

/** A flag of a project as it is in an environment. */
export type Place = { project: string; environment: string; flag: string };

/** The flag that was given and the environment of `-p` and `-e`, prompted for if missing. */
export const readPlace = inEnvironment("flag", "flag");

/** The project of `-p`, prompted for if missing, and the environment of `-e`, if one is given. */
export async function projectOrEnvironment(input: Input) {
  const { environment } = input.options as { environment?: string };
  return { project: await input.project(), environment };
}

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

/** The flag, with its revision. Throws `not_found`, with the name that was probably meant as the hint. */
export async function findFlag(session: Session, place: Place) {
  try {
    return await session.client.callAt(operations.get, { names: place });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "not_found")) throw error;
    const near = await nearFlag(session, place);
    if (near === null) throw error;
    throw new AppError("not_found", error.message, { hint: shown`did you mean ${near}?`, cause: error });
  }
}

/** The flag of the project whose name is most like this one; null if none is. */
export async function nearFlag({ client }: Session, { project, environment, flag }: Place) {
  const flags = await listAll(client, operations.list, { names: { project, environment } });
  return nearestOf(
    flag,
    flags.map(({ slug }) => slug),
  );
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
