import { AppError } from "../../../src/base/errors.ts";
import { turnedOffInWords } from "../../../src/flags/requires/dependents.ts";
import { keyOf } from "../../../src/operations/changes/proposable.ts";
import { plans } from "../../../src/operations/changes/plans.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import type { Place } from "./place.ts";

/** The change of a flag in a place. */
type Plan = (place: Place) => Promise<{ operation: Parameters<typeof keyOf>[0]; body: object }>;

/** The change that turns a flag off. */
export const turningOff: Plan = async () => ({ operation: operations.set, body: { enabled: false } });

/**
 * Notes on standard error which flags a change of some turns off besides, before any is made; one of several environments is
 * named. Places without the flags that need theirs, `neededBy`, are asked for it.
 */
export async function noteTurnedOff(
  session: Session,
  places: readonly (Place & { neededBy?: readonly string[] })[],
  plan: Plan,
): Promise<void> {
  const byEnvironment = Map.groupBy(places, ({ environment }) => environment);
  for (const [environment, some] of byEnvironment) {
    const more = new Set<string>();
    for (const { neededBy, ...place } of some) {
      if ((neededBy ?? (await usersOf(session, place))).length === 0) continue;
      const turnsOff = await turnedOffBy(session, place, plan);
      for (const slug of turnsOff.flatMap(({ flags }) => flags)) more.add(slug);
    }
    for (const { flag } of some) more.delete(flag);
    const words = turnedOffInWords([...more].toSorted());
    if (words !== null) session.note(shown`${byEnvironment.size > 1 ? `${environment}: ` : ""}${words}\n`);
  }
}

/** Nothing for a change that would be refused, now or later, of which it says so itself. */
async function turnedOffBy({ client }: Session, names: Place, plan: Plan) {
  try {
    const { operation, body } = await plan(names);
    const planned = { operation: keyOf(operation), names, body };
    return (await client.call(plans.make, { body: planned, isStep: true })).turnsOff ?? [];
  } catch (error) {
    if (error instanceof AppError && error.code !== "unavailable") return [];
    throw error;
  }
}

async function usersOf({ client }: Session, names: Place): Promise<readonly string[]> {
  try {
    return (await client.call(operations.get, { names })).neededBy ?? [];
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return [];
    throw error;
  }
}
