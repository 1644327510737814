import { AppError } from "../../../src/base/errors.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import { listAll } from "../../session/pages.ts";
import type { Session } from "../../session/session.ts";

/** A flag of a project as it is in an environment. */
export type Place = { project: string; environment: string; flag: string };

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

/**
 * The name that differs in the fewest characters, at most in a third of them, without case and separators; null if none
 * does.
 */
export function nearestOf(name: string, others: string[]): string | null {
  const wanted = plain(name);
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3) + 1);
  for (const other of others) {
    if (other === name) continue;
    const distance = distanceOf(wanted, plain(other));
    if (distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]/g, "");
}

/** Levenshtein distance: characters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
