import { AppError } from "../../../src/base/errors.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { scheduled } from "../../../src/operations/scheduled.ts";
import { shown } from "../../output/text.ts";
import type { Client } from "../../session/client.ts";
import type { Input } from "../../session/input.ts";
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

/** The scheduled changes of a project, or of one of its environments, the next first. */
export function listScheduled(client: Client, project: string, environment?: string) {
  return listAll(client, scheduled.list, { names: { project }, query: { environment } });
}
