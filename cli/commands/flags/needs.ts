import { AppError } from "../../../src/base/errors.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { keyOf } from "../../../src/operations/changes/proposable.ts";
import { plans } from "../../../src/operations/changes/plans.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import type { Place } from "./place.ts";

/** Notes on standard error which flags a change turns off besides, before it is made. `users` need the flag, if they are known. */
export async function noteTurnedOff(
  session: Session,
  place: Place,
  body: FlagPatch,
  users?: readonly string[],
): Promise<void> {
  if ((users ?? (await neededBy(session, place))).length === 0) return;
  const planned = { operation: keyOf(operations.set), names: place, body };
  const { warnings } = await session.client.call(plans.make, { body: planned });
  for (const each of warnings) session.note(shown`${each}\n`);
}

async function neededBy({ client }: Session, names: Place): Promise<readonly string[]> {
  try {
    return (await client.call(operations.get, { names })).neededBy ?? [];
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return [];
    throw error;
  }
}
