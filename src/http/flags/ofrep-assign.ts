import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { type Assigned, type Assignments, fits } from "../../experiments/assignment.ts";
import { createAssignmentSource } from "../../experiments/assignments.ts";
import { createHeldFlags } from "../../experiments/held-flags.ts";
import type { Context } from "../../flags/flagd/evaluate.ts";
import type { Access } from "./ofrep-access.ts";

export const ASSIGNMENT = "X-Formflag-Assignment";

/** Adds the assignment of a reader to the answer with its variants: outside the entity tag, and to 304 too. */
export type Assign = (
  answered: Response | Promise<Response>,
  access: Access,
  context: Context,
  variants: readonly Assigned[],
) => Promise<Response>;

export function createAssign(app: App): Assign {
  const load = createAssignmentSource(app);
  const findHeld = createHeldFlags(app);
  let loaded: Assignments | undefined;

  /** The variants of flags that are held, since those of all flags do not fit. */
  const heldAmong = async (variants: readonly Assigned[], place: string): Promise<Assigned[]> => {
    const byFlag = new Map(variants);
    const held = await heldIn(place);
    return held.flatMap((flag): Assigned[] => (byFlag.has(flag) ? [[flag, byFlag.get(flag)!]] : []));
  };
  const heldIn = async (place: string): Promise<readonly string[]> => {
    try {
      return (await findHeld(place)) ?? [];
    } catch (error) {
      // Flags are answered from memory while the database does not answer, also if what holds them was never read.
      if (error instanceof AppError && error.code === "unavailable") return [];
      throw error;
    }
  };

  return async (answered, { flags, reader: { keys } }, { targetingKey }, variants) => {
    const answer = await answered;
    loaded ??= await load();
    const { environmentKey } = keys;
    const isVisitor = typeof targetingKey === "string" && targetingKey !== "";
    const pseudonym = isVisitor ? loaded.pseudonymOf(environmentKey, targetingKey) : null;
    const kept = fits({ environmentKey, variants }) ? variants : await heldAmong(variants, flags.place);
    answer.headers.set(ASSIGNMENT, loaded.sign({ environmentKey, pseudonym, variants: kept }, app.now()));
    return answer;
  };
}
